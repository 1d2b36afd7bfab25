import { Button, PasswordInput, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { useEffect, useState } from "react";

import { isProblem } from "@/api/client";
import { signIn } from "@/api/commands";
import { sessionQuery } from "@/api/queries";
import { Logo } from "@/app/Rail";

import styles from "./signin.module.css";

/** A name that is not known and a password that is wrong are told alike. */
function messageOf(error: Error): string {
  if (isProblem(error, 400, 401, 403, 422)) return "The name or the password is wrong.";
  if (isProblem(error, 429)) return "Too many attempts. Wait a minute and try again.";
  return error.message;
}

export function SignIn() {
  const client = useQueryClient();
  const [username, setUsername] = useState("");
  const [password, setPassword] = useState("");
  useEffect(() => {
    document.title = "Sign in · Hotswap";
  }, []);
  const entry = useMutation({
    mutationFn: () => signIn(username, password),
    onSuccess: (me) => client.setQueryData(sessionQuery.queryKey, me),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    entry.mutate();
  };
  return (
    <main className={styles.page}>
      <form className={styles.card} onSubmit={submit}>
        <Logo />
        <h1>Sign in</h1>
        <TextInput
          label="Name"
          autoComplete="username"
          autoFocus
          required
          withAsterisk={false}
          value={username}
          onChange={(event) => setUsername(event.currentTarget.value)}
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          visibilityToggleButtonProps={{ "aria-label": "Show the password" }}
        />
        {entry.error ? (
          <p role="alert" className="strong">
            {messageOf(entry.error)}
          </p>
        ) : null}
        <Button type="submit" loading={entry.isPending}>
          Sign in
        </Button>
        <p className="dim small">Jobs train on whether or not anybody is signed in.</p>
      </form>
    </main>
  );
}
