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

/** One token for all messages, renewed five minutes before its end. */
function createAccessToken({ fcm, fetch, now }: FcmDeps) {
  let known: { token: Promise<string>; renewAt: number } | undefined

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
    const response = await fetch(new Request(fcm.tokenUrl, { method: 'POST', body }))
    if (!response.ok) throw new Error(`the service account is refused with ${response.status}`)
    const answer: unknown = await response.json()
    const token =
      typeof answer === 'object' && answer !== null ? Reflect.get(answer, 'access_token') : undefined
    if (typeof token !== 'string') throw new Error('the answer has no access token')
    return token
  }

  return {
    read(): Promise<string> {
      const seconds = Math.floor(now().getTime() / 1_000)
      if (!known || seconds >= known.renewAt) {
        const made = { token: request(seconds), renewAt: seconds + TOKEN_SECONDS - 300 }
        known = made
        made.token.catch(() => {
          if (known === made) known = undefined
        })
      }
      return known.token
    },
    forget(): void {
      known = undefined
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
    const headers = {
      authorization: `Bearer ${await accessToken.read()}`,
      'content-type': 'application/json',
    }
    const response = await deps.fetch(
      new Request(url, { method: 'POST', headers, body: JSON.stringify(sent), signal }),
    )
    if (response.status === 401) accessToken.forget()
    const byStatus = attemptOf(response.status, response.headers)
    if (byStatus.outcome === 'sent') hasWorked = true
    if (byStatus.outcome !== 'sent' && byStatus.outcome !== 'retry')
      return judge(response.status, readRefusal(await response.text()), hasWorked)
    await response.body?.cancel()
    return byStatus
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
