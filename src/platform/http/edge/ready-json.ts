/** Responses that a handler renders as JSON text itself, which costs less than building an object first. */

/** `text` is JSON of a `T`, as the operation's schema describes; the tests validate it. */
export interface ReadyJson<T> {
  readonly text: string
  /** Used only by the compiler. */
  readonly of?: T
}

/** Guarantee of the cast: `responses.ts` sends text as it is, and it is JSON of a `T`. */
export const respondReady = <T>({ text }: ReadyJson<T>): T => text as unknown as T
