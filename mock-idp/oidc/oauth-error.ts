/** An error response: JSON `{ error, error_description }` as in RFC 6749 §5.2, never cached. */
export class OAuthError extends Error {
  override name = 'OAuthError'

  constructor(
    readonly status: number,
    readonly error: string,
    readonly description: string,
    readonly headers: Record<string, string> = {},
  ) {
    super(description)
  }

  toResponse(): Response {
    const body = { error: this.error, error_description: this.description }
    return Response.json(body, {
      status: this.status,
      headers: { 'cache-control': 'no-store', ...this.headers },
    })
  }
}

export const invalidRequest = (description: string) => new OAuthError(400, 'invalid_request', description)
export const notFound = (description: string) => new OAuthError(404, 'not_found', description)
