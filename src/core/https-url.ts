/** Maximum length of stored URLs, in characters: browsers and proxies cut longer ones. */
export const MAX_URL_LENGTH = 2048

/** Whether `value` is an https URL without credentials, white space and control characters. */
export function isPlainHttps(value: string): boolean {
  const url = URL.parse(value)
  return (
    url?.protocol === 'https:' && url.username === '' && url.password === '' && !/[\s\p{Cc}]/u.test(value)
  )
}

/** The same, and in the form that the WHATWG URL Standard serialises, so that every parser reads the same URL. */
export const isSerializedHttps = (value: string): boolean =>
  isPlainHttps(value) && URL.parse(value)?.href === value

/** Whether `value` is an absolute path that every parser resolves to the same address of the same origin. */
export function isPlainPath(value: string): boolean {
  const url = URL.parse(value, 'https://origin.invalid')
  return url?.origin === 'https://origin.invalid' && url.href === `https://origin.invalid${value}`
}
