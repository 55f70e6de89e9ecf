/** Shared code of the verification of draws and histories: bytes, hashes, and checks of the input's form. */
const HASH = /^[0-9a-f]{64}$/

export const bytesOf = (text: string) => new TextEncoder().encode(text)

/** In lower-case hex. */
export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return [...digest].map(byte => byte.toString(16).padStart(2, '0')).join('')
}

/** @throws Error without Web Crypto */
export function requireCrypto(): void {
  if (!globalThis.crypto?.subtle)
    throw new Error('crypto.subtle is missing: pages have it on https and localhost alone.')
}

export const isText = (value: unknown) => typeof value === 'string'
export const isHash = (value: unknown) => typeof value === 'string' && HASH.test(value)
export const isListOf = (value: unknown, check: (item: unknown) => boolean) =>
  Array.isArray(value) && value.every(check)

export type Checks<Members> = { [Name in keyof Members]-?: (value: unknown) => boolean }

/** Whether an object has these members. */
export function hasMembers<Members>(value: unknown, checks: Checks<Members>): value is Members {
  if (typeof value !== 'object' || value === null) return false
  const given = new Map<string, unknown>(Object.entries(value))
  return Object.entries<(member: unknown) => boolean>(checks).every(([name, check]) => check(given.get(name)))
}

/** Whether an object has these members, and no others. */
export const hasOnlyMembers = <Members>(value: unknown, checks: Checks<Members>): value is Members =>
  // Guarantee of the cast: `hasMembers` has checked it.
  hasMembers(value, checks) && Object.keys(value as object).length === Object.keys(checks).length
