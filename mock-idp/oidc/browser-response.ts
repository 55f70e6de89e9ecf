import { errorPage } from '../pages/message-page.ts'
import { AuthorizeError } from './authorize-request.ts'
import { Refusal } from './refusal.ts'

/** Runs a handler whose errors people see: a page, or a redirect where client and redirect URI are known. */
export async function answerBrowser(
  issuer: string,
  answer: () => Response | Promise<Response>,
): Promise<Response> {
  try {
    return await answer()
  } catch (error) {
    if (error instanceof Refusal) return errorPage(error)
    if (!(error instanceof AuthorizeError)) throw error
    const { description, redirectUri, state } = error
    return redirect(redirectUri, { error: error.error, error_description: description, state, iss: issuer })
  }
}

/** The redirect back to the client: 303, so that a form's POST becomes a GET. */
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
