/** What `work` resolves to, or after `ms` the rejection with the error of `onLate`, which also ends what may still run. */
export async function withDeadline<T>(work: PromiseLike<T>, ms: number, onLate: () => Error): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(onLate()), ms)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
