/** Whether it is an https URL without a user name, a password, white space or controls. */
export function isPlainHttps(value: string): boolean {
  const url = URL.parse(value)
  return (
    url?.protocol === 'https:' && url.username === '' && url.password === '' && !/[\s\p{Cc}]/u.test(value)
  )
}

/** Whether it is also written as the WHATWG URL Standard serialises it, so that no page reads another URL. */
export const isSerializedHttps = (value: string): boolean =>
  isPlainHttps(value) && URL.parse(value)?.href === value
