/* The floor of the row spawn: COUNT times /bin/echo by posix_spawn, its output read to the end, its exit waited for. */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int one(int number) {
    int ends[2], status = -1;
    char text[32], output[256];
    char *argv[] = {"echo", text, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    snprintf(text, sizeof text, "hi %d", number);
    if (pipe(ends) != 0) return 1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    if (posix_spawn(&child, "/bin/echo", &actions, NULL, argv, environ) != 0) return 1;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    while (read(ends[0], output, sizeof output) > 0) {
    }
    close(ends[0]);
    return waitpid(child, &status, 0) != child || status != 0;
}

int main(int argc, char **argv) {
    int count = argc > 1 ? atoi(argv[1]) : 1000;
    for (int i = 0; i < count; i++)
        if (one(i)) return 1;
    return 0;
}
