/** Firebase Cloud Messaging, HTTP v1, with the token of a service account. */
import { importPKCS8, SignJWT } from 'jose'
import type { Sources } from '../../../db/index.ts'
import { attempt } from '../../core/attempt.ts'
import { isValid } from '../../core/formats.ts'
import { Type } from '../../core/typebox.ts'
import type { FcmConfig } from '../../platform/config/push.ts'
import { type Attempt, attemptOf, fitted, type Message } from './sender.ts'

const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging'
const TOKEN_SECONDS = 3_600
/** Of an account that was refused, until it is asked for again. */
const REFUSED_SECONDS = 60
const TOKEN_REQUEST_MS = 10_000
/** What Google asks for when the quota is used up, unless it names a time. */
const QUOTA_SECONDS = 60
const TTL = '86400s'
/** Of 4,096 bytes for the message, less the members around the texts. */
const MAX_BYTES = 3_000

type Fetch = (request: Request) => Promise<Response>

interface FcmDeps extends Pick<Sources, 'now'> {
  fcm: FcmConfig
  fetch: Fetch
  /** Tests have their own. */
  origin?: string
}

/** The token endpoint answers without a token. */
class NoToken extends Error {
  constructor(readonly attempt: Attempt) {
    super(`the service account is refused with ${attempt.refusal ?? attempt.status}`)
  }
}

interface AccessToken {
  token: Promise<string>
  renewAt: number
}

/** One token for all messages, renewed five minutes before its end. A refusal holds for a minute, for all of them. */
function createAccessToken({ fcm, fetch, now }: FcmDeps) {
  let known: AccessToken | undefined

  async function request(seconds: number): Promise<string> {
    const key = await importPKCS8(fcm.privateKey, 'RS256')
    const assertion = await new SignJWT({ scope: SCOPE })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
      .setIssuer(fcm.clientEmail)
      .setAudience(fcm.tokenUrl)
      .setIssuedAt(seconds)
      .setExpirationTime(seconds + TOKEN_SECONDS)
      .sign(key)
    const body = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion })
    const signal = AbortSignal.timeout(TOKEN_REQUEST_MS)
    const response = await fetch(new Request(fcm.tokenUrl, { method: 'POST', body, signal }))
    const text = await response.text()
    const answer = attempt((): unknown => JSON.parse(text))
    const memberOf = (name: string): unknown =>
      typeof answer === 'object' && answer !== null ? Reflect.get(answer, name) : undefined
    const byStatus = attemptOf(response.status, response.headers)
    const token = memberOf('access_token')
    if (byStatus.outcome === 'sent' && typeof token === 'string') return token
    if (byStatus.outcome === 'sent') throw new Error('the answer has no access token')
    if (byStatus.outcome === 'retry') throw new NoToken(byStatus)
    const error = memberOf('error')
    const isWord = typeof error === 'string' && /^\w{1,50}$/.test(error)
    const refusal = isWord ? error : String(response.status)
    throw new NoToken({ outcome: 'wrong', status: response.status, refusal })
  }

  function make(seconds: number): AccessToken {
    const made = { token: request(seconds), renewAt: seconds + TOKEN_SECONDS - 300 }
    made.token.catch(error => {
      if (error instanceof NoToken && error.attempt.outcome === 'wrong')
        made.renewAt = seconds + REFUSED_SECONDS
      else if (known === made) known = undefined
    })
    return made
  }

  return {
    read(): AccessToken {
      const seconds = Math.floor(now().getTime() / 1_000)
      if (!known || seconds >= known.renewAt) known = make(seconds)
      return known
    },
    /** Does nothing if there is another one already. */
    forget(refused: AccessToken): void {
      if (known === refused) known = undefined
    },
  }
}

export function createFcm({ origin = 'https://fcm.googleapis.com', ...deps }: FcmDeps) {
  const accessToken = createAccessToken(deps)
  const url = `${origin}/v1/projects/${deps.fcm.projectId}/messages:send`
  let hasWorked = false
  return async (token: string, message: Message, signal: AbortSignal): Promise<Attempt> => {
    // Guarantee of the cast: `fitted` encodes a message.
    const {
      title,
      body,
      url: link,
      imageUrl,
      id,
      category,
      tag,
    } = JSON.parse(fitted(message, MAX_BYTES).toString()) as Message
    const notification = { title, body, ...(imageUrl === null ? {} : { image: imageUrl }) }
    const android = { ttl: TTL, ...(tag === null ? {} : { collapse_key: tag, notification: { tag } }) }
    const apns = tag === null ? {} : { apns: { headers: { 'apns-collapse-id': tag } } }
    const data = { messageId: id, category, ...(link === null ? {} : { url: link }) }
    const sent = { message: { token, notification, data, android, ...apns } }
    const post = async (access: AccessToken) => {
      const headers = { authorization: `Bearer ${await access.token}`, 'content-type': 'application/json' }
      return deps.fetch(new Request(url, { method: 'POST', headers, body: JSON.stringify(sent), signal }))
    }
    const access = accessToken.read()
    let response: Response
    try {
      response = await post(access)
      if (response.status === 401) {
        // Google may revoke a token. If another one is refused too, the account is wrong.
        await response.body?.cancel()
        accessToken.forget(access)
        response = await post(accessToken.read())
      }
    } catch (error) {
      if (error instanceof NoToken) return error.attempt
      throw error
    }
    const byStatus = attemptOf(response.status, response.headers)
    if (byStatus.outcome === 'sent') hasWorked = true
    if (byStatus.outcome !== 'sent' && byStatus.outcome !== 'retry')
      return judge(response.status, readRefusal(await response.text()), hasWorked)
    await response.body?.cancel()
    const { retryAfter = response.status === 429 ? QUOTA_SECONDS : undefined } = byStatus
    return { ...byStatus, retryAfter }
  }
}

interface Refusal {
  /** Undefined: the answer is not of FCM. */
  code?: string | undefined
  /** It is about the token, and not about the message. */
  isOfToken: boolean
}

function judge(status: number, { code, isOfToken }: Refusal, hasWorked: boolean): Attempt {
  // 404 is also the answer for an unknown project.
  if (code === 'UNREGISTERED') return { outcome: 'gone', status }
  // While nothing was accepted, all tokens may be of another project: a wrong account must not delete devices.
  if (isOfToken && hasWorked) return { outcome: 'gone', status }
  return { outcome: 'wrong', status, refusal: code ?? String(status) }
}

const Detail = Type.Object({
  errorCode: Type.Optional(Type.String()),
  fieldViolations: Type.Optional(Type.Array(Type.Object({ field: Type.String() }))),
})
const Answer = Type.Object({
  error: Type.Object({
    status: Type.String(),
    message: Type.Optional(Type.String()),
    details: Type.Optional(Type.Array(Detail)),
  }),
})

function readRefusal(text: string): Refusal {
  const answer = attempt((): unknown => JSON.parse(text))
  if (!isValid(Answer, answer)) return { isOfToken: false }
  const { status, message = '', details = [] } = answer.error
  const code = details.find(({ errorCode }) => errorCode)?.errorCode ?? status
  const fields = details.flatMap(({ fieldViolations = [] }) => fieldViolations.map(({ field }) => field))
  // `INVALID_ARGUMENT` does not tell a token from a message.
  const isMalformed = /\bregistration token\b/i.test(message) || fields.includes('message.token')
  return {
    code,
    isOfToken: code === 'SENDER_ID_MISMATCH' || (code === 'INVALID_ARGUMENT' && isMalformed),
  }
}
