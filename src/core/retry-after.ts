/** `Retry-After` in seconds (RFC 9110 §10.2.3), at most `maxSeconds`. A date counts by the sender's own clock. */
export function readRetryAfter(headers: Headers, maxSeconds: number): number | undefined {
  const value = headers.get('retry-after')
  if (value === null) return undefined
  const seconds = /^\d{1,9}$/.test(value)
    ? Number(value)
    : (Date.parse(value) - Date.parse(headers.get('date') ?? '')) / 1000
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(0, Math.ceil(seconds)), maxSeconds)
}
