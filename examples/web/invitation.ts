/** The code of an invitation link, kept over the sign-in until the onboarding. */
const KEY = 'matchday invitation'

/** Takes the code out of the address, so that a copied address does not invite others. */
export function keepInvitation(): void {
  const url = new URL(location.href)
  const code = url.searchParams.get('invite')
  if (code === null) return
  sessionStorage.setItem(KEY, code)
  url.searchParams.delete('invite')
  history.replaceState(history.state, '', url.pathname + url.search + url.hash)
}

export const invitation = () => sessionStorage.getItem(KEY) ?? ''
export const forgetInvitation = () => sessionStorage.removeItem(KEY)
