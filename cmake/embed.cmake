# cmake -DOUT=file.c -DNAME=name -DIN=file -P embed.cmake: the bytes of a file as a C array, with its length.
file(READ ${IN} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
file(WRITE ${OUT} "#include \"trace/page.h\"\n\nconst unsigned char ${NAME}[] = {\n${bytes}0};\nconst size_t ${NAME}_length = sizeof ${NAME} - 1;\n")
