/** Settles as `work`, or after `ms` rejects with the error of `onLate`, which may also cancel the work. */
export async function withDeadline<T>(work: PromiseLike<T>, ms: number, onLate: () => Error): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(onLate()), ms)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
