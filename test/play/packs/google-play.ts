/** A server on the loopback that answers as the Google Play Developer API and Google's token endpoint document, and signs pushes. */
import { exportJWK, exportPKCS8, generateKeyPair, jwtVerify, SignJWT } from 'jose'

const PACKAGE = 'com.club.fans'
export const PRODUCT = 'pack'
const AUDIENCE = 'https://api.club.example/api/webhooks/google-play'
const ACCOUNT = 'matchday@club.iam.gserviceaccount.com'
export const PUSHER = 'pusher@club.iam.gserviceaccount.com'
const ROOT = `/androidpublisher/v3/applications/${PACKAGE}`

/** A ProductPurchaseV2, with the members that Google sends. */
export interface StorePurchase {
  kind: 'androidpublisher#productPurchaseV2'
  productLineItem: {
    productId: string
    productOfferDetails: { quantity: number; refundableQuantity: number; consumptionState: string }
  }[]
  purchaseStateContext: { purchaseState: 'PURCHASED' | 'CANCELLED' | 'PENDING' }
  testPurchaseContext?: { fopType: 'TEST' }
  orderId?: string
  obfuscatedExternalAccountId?: string
  regionCode: string
  purchaseCompletionTime: string
  acknowledgementState: 'ACKNOWLEDGEMENT_STATE_PENDING' | 'ACKNOWLEDGEMENT_STATE_ACKNOWLEDGED'
}

/** `hang`: takes the request and never answers. A text is an HTML page. */
export type Outage = 'hang' | { status: number; body: unknown }

const errorOf = (code: number, status: string, message: string) => ({
  status: code,
  body: { error: { code, message, status, errors: [{ message, domain: 'androidpublisher' }] } },
})

export async function startGooglePlay() {
  const account = await generateKeyPair('RS256', { extractable: true })
  const google = await generateKeyPair('RS256', { extractable: true })
  const stranger = await generateKeyPair('RS256', { extractable: true })
  const jwk = { ...(await exportJWK(google.publicKey)), kid: 'google-1', alg: 'RS256', use: 'sig' }
  let made = 0

  const server = {
    env: {} as Record<string, string>,
    asked: [] as { method: string; path: string }[],
    /** By token. */
    purchases: new Map<string, StorePurchase>(),
    refunded: [] as string[],
    /** Response to every request except for tokens and keys, until it is null again. */
    outage: null as Outage | null,
    /** Access tokens that are accepted. */
    granted: new Set<string>(),
    now: () => Date.now(),
    /** A fan pays in the store. */
    sell(accountId: string | undefined, facts: Partial<StorePurchase> = {}) {
      const token = `token${String(++made).padStart(6, '0')}.AO-J1Oz_fake`
      const offer = {
        quantity: 1,
        refundableQuantity: 1,
        consumptionState: 'CONSUMPTION_STATE_YET_TO_BE_CONSUMED',
      }
      server.purchases.set(token, {
        kind: 'androidpublisher#productPurchaseV2',
        productLineItem: [{ productId: PRODUCT, productOfferDetails: offer }],
        purchaseStateContext: { purchaseState: 'PURCHASED' },
        orderId: `GPA.3300-0000-0000-${String(made).padStart(5, '0')}`,
        ...(accountId === undefined ? {} : { obfuscatedExternalAccountId: accountId }),
        regionCode: 'DE',
        purchaseCompletionTime: new Date(server.now()).toISOString(),
        acknowledgementState: 'ACKNOWLEDGEMENT_STATE_PENDING',
        ...facts,
      })
      return token
    },
    /** Voids the purchase, as the store does after a refund. */
    void(token: string) {
      const purchase = server.purchases.get(token)
      if (purchase) purchase.purchaseStateContext.purchaseState = 'CANCELLED'
    },
    /** A push of a notification. */
    async push(notification: object, claims: Record<string, unknown> = {}, forged = false) {
      const seconds = Math.floor(server.now() / 1000)
      const token = await new SignJWT({ email: PUSHER, email_verified: true, ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: 'google-1', typ: 'JWT' })
        .setIssuer(String(claims.iss ?? 'https://accounts.google.com'))
        .setAudience(String(claims.aud ?? AUDIENCE))
        .setIssuedAt(seconds)
        .setExpirationTime(Number(claims.exp ?? seconds + 3600))
        .sign((forged ? stranger : google).privateKey)
      const content = {
        version: '1.0',
        packageName: PACKAGE,
        eventTimeMillis: String(server.now()),
        ...notification,
      }
      const data = Buffer.from(JSON.stringify(content)).toString('base64')
      const message = { data, messageId: '136969346945', attributes: {} }
      return {
        authorization: `Bearer ${token}`,
        body: JSON.stringify({ message, subscription: 'projects/club/subscriptions/play' }),
      }
    },
    stop: () => listening.stop(true),
  }

  async function grant(request: Request, url: string) {
    const form = new URLSearchParams(await request.text())
    const currentDate = new Date(server.now())
    const { payload } = await jwtVerify(form.get('assertion') ?? '', account.publicKey, {
      issuer: ACCOUNT,
      audience: url,
      algorithms: ['RS256'],
      currentDate,
    })
    const isAsked = payload.scope === 'https://www.googleapis.com/auth/androidpublisher'
    if (!isAsked || form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer')
      return Response.json({ error: 'invalid_grant', error_description: 'Bad request' }, { status: 400 })
    const token = `ya29.fake-${++made}`
    server.granted.add(token)
    return Response.json({ access_token: token, expires_in: 3599, token_type: 'Bearer' })
  }

  function answer(method: string, path: string): { status: number; body: unknown } {
    const [, token = ''] = /\/tokens\/([^/:]+)/.exec(path) ?? []
    const purchase = server.purchases.get(decodeURIComponent(token))
    if (method === 'GET' && path.startsWith(`${ROOT}/purchases/productsv2/tokens/`))
      return purchase
        ? { status: 200, body: purchase }
        : errorOf(404, 'NOT_FOUND', 'The purchase token was not found.')
    const [, product, , action] = /\/purchases\/products\/([^/]+)\/tokens\/([^/:]+):(\w+)$/.exec(path) ?? []
    if (method === 'POST' && action === 'consume') {
      const [item] = purchase?.productLineItem ?? []
      if (
        !purchase ||
        !item ||
        item.productId !== product ||
        purchase.purchaseStateContext.purchaseState !== 'PURCHASED'
      )
        return errorOf(400, 'INVALID_ARGUMENT', 'The product purchase is not owned by the user.')
      item.productOfferDetails.consumptionState = 'CONSUMPTION_STATE_CONSUMED'
      purchase.acknowledgementState = 'ACKNOWLEDGEMENT_STATE_ACKNOWLEDGED'
      return { status: 204, body: null }
    }
    const [, orderId] = /\/orders\/([^/:]+):refund$/.exec(path) ?? []
    const order = [...server.purchases.values()].find(one => one.orderId === orderId)
    if (method === 'POST' && order) {
      if (order.purchaseStateContext.purchaseState === 'CANCELLED')
        return errorOf(400, 'INVALID_ARGUMENT', 'The order has been refunded.')
      order.purchaseStateContext.purchaseState = 'CANCELLED'
      server.refunded.push(orderId ?? '')
      return { status: 204, body: null }
    }
    return errorOf(404, 'NOT_FOUND', 'Not found.')
  }

  const listening = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname: path } = new URL(request.url)
      const { method } = request
      if (path === '/oauth2/v3/certs') return Response.json({ keys: [jwk] })
      server.asked.push({ method, path })
      if (server.outage === 'hang') return new Promise<Response>(() => {})
      const isTokens = path === '/token'
      if (isTokens && !server.outage) return grant(request, request.url)
      const token = request.headers.get('authorization')?.replace('Bearer ', '') ?? ''
      const known = server.granted.has(token)
      const { status, body } =
        server.outage ??
        (known ? answer(method, path) : errorOf(401, 'UNAUTHENTICATED', 'Invalid credentials.'))
      if (status === 204) return new Response(null, { status })
      return typeof body === 'string'
        ? new Response(body, { status, headers: { 'content-type': 'text/html' } })
        : Response.json(body, { status })
    },
  })
  server.env = {
    GOOGLE_PLAY_PACKAGE: PACKAGE,
    GOOGLE_PLAY_PRODUCTS: `${PRODUCT}=499 EUR, box=999 EUR`,
    GOOGLE_PLAY_SERVICE_ACCOUNT: JSON.stringify({
      type: 'service_account',
      client_email: ACCOUNT,
      private_key_id: 'key-1',
      private_key: await exportPKCS8(account.privateKey),
      token_uri: 'https://oauth2.googleapis.com/token',
    }),
    GOOGLE_PLAY_PUSH_AUDIENCE: AUDIENCE,
    GOOGLE_PLAY_PUSH_ACCOUNT: PUSHER,
    GOOGLE_PLAY_API_BASE: `http://127.0.0.1:${listening.port}`,
  }
  return server
}
