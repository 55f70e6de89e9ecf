/** Personal data as a role sees it. Without the permission `fans.personal`, a role sees only that the data exists. */

export interface PersonalAccess {
  /** Whether the role has the permission `fans.personal`. */
  personal: boolean
}

/** `a…@example.com`: enough to recognise an address that a fan names. */
export function shownEmail(email: string | null, personal: boolean): string | null {
  if (email === null || personal) return email
  const at = email.lastIndexOf('@')
  return `${[...email][0] ?? ''}…${at < 0 ? '' : email.slice(at)}`
}

/** Shows only initials, since the name at the provider is the legal name. */
export function shownName(name: string | null, personal: boolean): string | null {
  if (name === null || personal) return name
  return name
    .split(/\s+/)
    .filter(word => word !== '')
    .map(word => `${[...word][0]}.`)
    .join(' ')
}
