/** Answers that are JSON text already, where making an object of it first would be most of the work. */

/** `text` is JSON of a `T`: what the operation's schema describes, which tests hold it to. */
export interface ReadyJson<T> {
  readonly text: string
  /** For the compiler alone. */
  readonly of?: T
}

/** Guarantee of the cast: Elysia sends text as it is, and the type says what the text says. */
export function answerReady<T>(
  set: { headers: Record<string, string | number | undefined> },
  { text }: ReadyJson<T>,
): T {
  set.headers['content-type'] = 'application/json'
  return text as unknown as T
}
