/** Responses that are JSON text already: building an object first would cost more than the text. */

/** `text` is JSON of a `T`: what the operation's schema describes, which tests hold it to. */
export interface ReadyJson<T> {
  readonly text: string
  /** For the compiler alone. */
  readonly of?: T
}

/** Guarantee of the cast: `responses.ts` sends text as it is, and it is JSON of a `T`. */
export const respondReady = <T>({ text }: ReadyJson<T>): T => text as unknown as T
