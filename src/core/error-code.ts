/** The `code` of an error of the runtime or of a library. Undefined if it has none. */
export const errorCode = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
