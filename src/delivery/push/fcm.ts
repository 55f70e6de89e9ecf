/** Firebase Cloud Messaging, HTTP v1, with the token of a service account. */
import { importPKCS8, SignJWT } from 'jose'
import type { Sources } from '../../../db/index.ts'
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
    const answer = response.ok ? '' : await response.text()
    if (response.ok) await response.body?.cancel()
    if (response.status === 401) accessToken.forget()
    // 404 is also the answer for an unknown project.
    if (response.status === 404 && !answer.includes('UNREGISTERED'))
      return { outcome: 'wrong', status: 404, refusal: 'NOT_FOUND' }
    return attemptOf(response.status, response.headers)
  }
}
