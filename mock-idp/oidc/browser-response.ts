import { errorPage } from '../pages/message-page.ts'
import { AuthorizeError } from './authorize-request.ts'
import { OAuthError } from './oauth-error.ts'

/** Runs a handler and turns its errors into an error page, or into a redirect once client and redirect URI are valid. */
export async function respondToBrowser(
  issuer: string,
  handle: () => Response | Promise<Response>,
): Promise<Response> {
  try {
    return await handle()
  } catch (error) {
    if (error instanceof OAuthError) return errorPage(error)
    if (!(error instanceof AuthorizeError)) throw error
    const { error: code, description, request } = error
    const { redirectUri, state } = request
    return redirect(redirectUri, { error: code, error_description: description, state, iss: issuer })
  }
}

/** The redirect back to the client: 303 turns a form's POST into a GET. */
export function redirect(uri: string, parameters: Record<string, string | undefined>): Response {
  const query = new URLSearchParams(
    Object.entries(parameters).filter((entry): entry is [string, string] => !!entry[1]),
  )
  const location = `${uri}${query.size === 0 ? '' : uri.includes('?') ? '&' : '?'}${query}`
  return new Response(null, {
    status: 303,
    headers: { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
  })
}
