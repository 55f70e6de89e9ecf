/** Responses that a handler renders as JSON text itself, which costs less than building an object first. */

class ReadyJson {
  constructor(readonly render: () => string) {}
}

/**
 * `render` returns the JSON of a `T`, as the operation's schema describes; the tests validate it. It is called once.
 * Guarantee of the cast: `stringify` renders every response.
 */
export const respondReady = <T>(render: () => string): T => new ReadyJson(render) as unknown as T

/** The JSON text of what a handler returned. */
export const stringify = (value: unknown): string =>
  value instanceof ReadyJson ? value.render() : JSON.stringify(value)
