"""The other process. "peer.py serve": answers each line "first" or "second" with twenty digits, in pieces of
random size and at random times, and "silence" not at all; prints its port. "peer.py ask PORT": connects again and
again, says hello and waits for the answer."""
import random
import socket
import sys
import threading
import time


def answer(connection):
    with connection:
        line = b""
        while not line.endswith(b"\n"):
            got = connection.recv(64)
            if not got:
                return
            line += got
        if line == b"silence\n":
            connection.recv(1)
            return
        rest = b"01234567890123456789"
        while rest:
            n = random.randint(1, len(rest))
            try:
                connection.sendall(rest[:n])
            except OSError:
                return
            rest = rest[n:]
            time.sleep(random.choice((0, 0, 0.002)))


def serve():
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    print(listener.getsockname()[1], flush=True)
    while True:
        connection, _ = listener.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=answer, args=(connection,), daemon=True).start()


def ask(port):
    while True:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
                connection.sendall(b"hello\n")
                while connection.recv(64):
                    pass
        except OSError:
            time.sleep(0.002)


if sys.argv[1] == "serve":
    serve()
else:
    threads = [threading.Thread(target=ask, args=(int(sys.argv[2]),), daemon=True) for _ in range(3)]
    for thread in threads:
        thread.start()
    time.sleep(120)
