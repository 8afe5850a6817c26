_Thread_local int elsewhere = 55;
