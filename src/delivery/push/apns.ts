/** Apple's push service over HTTP/2, with a token of the club's signing key. */
import { type ClientHttp2Session, connect, constants, type IncomingHttpHeaders } from 'node:http2'
import { importPKCS8, SignJWT } from 'jose'
import type { Sources } from '../../../db/index.ts'
import { attempt } from '../../core/attempt.ts'
import type { ApnsConfig } from '../../platform/config/push.ts'
import type { Activity } from './activities.ts'
import { type Attempt, attemptOf, fitted, type Message } from './sender.ts'

/** Apple refuses a token of an hour, and one that changes within 20 minutes. */
const RENEW_SECONDS = 50 * 60
const TTL_SECONDS = 86_400
/** Of 4,096 bytes, less the members around the texts. */
const MAX_BYTES = 3_500
const IMMEDIATELY = '10'
const ACTIVITY_TYPE = 'MatchAttributes'

interface ApnsDeps extends Pick<Sources, 'now'> {
  apns: ApnsConfig
  /** Tests have their own. */
  origin?: string
}

const originOf = ({ sandbox }: ApnsConfig) =>
  sandbox ? 'https://api.sandbox.push.apple.com' : 'https://api.push.apple.com'

/** One token for all messages. */
function createProviderToken({ apns: { key, keyId, teamId }, now }: ApnsDeps) {
  let known: { token: Promise<string>; renewAt: number } | undefined

  async function make(seconds: number): Promise<string> {
    const token = new SignJWT({}).setProtectedHeader({ alg: 'ES256', kid: keyId })
    return token
      .setIssuer(teamId)
      .setIssuedAt(seconds)
      .sign(await importPKCS8(key, 'ES256'))
  }

  return {
    read(): Promise<string> {
      const seconds = Math.floor(now().getTime() / 1_000)
      if (!known || seconds >= known.renewAt)
        known = { token: make(seconds), renewAt: seconds + RENEW_SECONDS }
      return known.token
    },
    forget(): void {
      known = undefined
    },
  }
}

/** One connection for all messages; another one after it has failed or Apple has closed it. */
function createSession(origin: string) {
  let open: ClientHttp2Session | undefined
  return (): ClientHttp2Session => {
    if (open && !open.closed && !open.destroyed) return open
    const session = connect(origin)
    const forget = () => {
      if (open === session) open = undefined
    }
    // Its requests fail with it.
    session.on('error', forget)
    session.on('goaway', forget)
    session.on('close', forget)
    // A connection that waits keeps no process from ending.
    session.unref()
    open = session
    return session
  }
}

interface Answer {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

function post(
  session: ClientHttp2Session,
  headers: Record<string, string>,
  body: string,
  signal: AbortSignal,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ':method': 'POST', ...headers })
    const cancel = () => stream.close(constants.NGHTTP2_CANCEL)
    signal.addEventListener('abort', cancel, { once: true })
    let answer: IncomingHttpHeaders | undefined
    let text = ''
    stream.setEncoding('utf8')
    stream.on('response', received => {
      answer = received
    })
    stream.on('data', part => {
      text += part
    })
    stream.on('error', reject)
    stream.on('close', () => {
      signal.removeEventListener('abort', cancel)
      const status = Number(answer?.[':status'] ?? 0)
      if (answer && status > 0 && !signal.aborted) resolve({ status, headers: answer, text })
      else reject(new Error('no complete answer'))
    })
    stream.end(body)
  })
}

export function createApns({ origin, ...deps }: ApnsDeps) {
  const token = createProviderToken(deps)
  const session = createSession(origin ?? originOf(deps.apns))
  let hasWorked = false

  return async (device: string, message: Message, signal: AbortSignal): Promise<Attempt> => {
    const now = Math.floor(deps.now().getTime() / 1_000)
    const { activity = null, tag } = message
    const { topic } = deps.apns
    const kind = activity
      ? { 'apns-topic': `${topic}.push-type.liveactivity`, 'apns-push-type': 'liveactivity' }
      : {
          'apns-topic': topic,
          'apns-push-type': 'alert',
          ...(tag === null ? {} : { 'apns-collapse-id': tag }),
        }
    const headers = {
      ':path': `/3/device/${device}`,
      authorization: `bearer ${await token.read()}`,
      ...kind,
      'apns-priority': IMMEDIATELY,
      'apns-expiration': String(now + TTL_SECONDS),
    }
    const payload = activity ? activityPayloadOf(message, activity) : payloadOf(message)
    const answer = await post(session(), headers, payload, signal)
    const judged = judge(answer, hasWorked)
    if (judged.outcome === 'sent') hasWorked = true
    if (judged.refusal !== EXPIRED) return judged
    token.forget()
    return { outcome: 'retry', status: answer.status }
  }
}

const EXPIRED = 'ExpiredProviderToken'

function payloadOf(message: Message): string {
  // Guarantee of the cast: `fitted` encodes a message.
  const { title, body, url, imageUrl, id, category } = JSON.parse(
    fitted(message, MAX_BYTES).toString(),
  ) as Message
  const aps = {
    alert: { title, body },
    sound: 'default',
    'thread-id': category,
    ...(imageUrl === null ? {} : { 'mutable-content': 1 }),
  }
  return JSON.stringify({
    aps,
    messageId: id,
    category,
    ...(url === null ? {} : { url }),
    ...(imageUrl === null ? {} : { imageUrl }),
  })
}

/** Of ActivityKit; the app declares `ACTIVITY_TYPE` with these members. */
function activityPayloadOf({ title, body }: Message, activity: Activity): string {
  const { event, changedAt, state, attributes, staleAt, dismissAt } = activity
  const aps = {
    timestamp: secondsOf(changedAt),
    event,
    'content-state': state,
    ...(staleAt === null ? {} : { 'stale-date': secondsOf(staleAt) }),
    ...(dismissAt === null ? {} : { 'dismissal-date': secondsOf(dismissAt) }),
    ...(event === 'start'
      ? { 'attributes-type': ACTIVITY_TYPE, attributes, alert: { title, body, sound: 'default' } }
      : {}),
  }
  return JSON.stringify({ aps })
}

const secondsOf = (instant: string) => Math.floor(Date.parse(instant) / 1_000)

/** About a token that is none, or of another environment or app. */
const OF_TOKEN: ReadonlySet<string> = new Set(['BadDeviceToken', 'DeviceTokenNotForTopic'])

/** What Apple calls the reason decides more exactly than the status. */
function judge({ status, headers, text }: Answer, hasWorked: boolean): Attempt {
  const delay = headers['retry-after']
  const byStatus = attemptOf(status, new Headers(delay === undefined ? {} : { 'retry-after': String(delay) }))
  if (status === 410 || status < 400 || byStatus.outcome === 'retry') return byStatus
  const refusal = reasonOf(text) ?? String(status)
  // While nothing was accepted, a wrong `sandbox` or `topic` refuses all tokens, and must not delete devices.
  if (OF_TOKEN.has(refusal) && hasWorked) return { outcome: 'gone', status }
  return { outcome: 'wrong', status, refusal }
}

/** Apple answers with `{"reason": "…"}`. */
function reasonOf(text: string): string | undefined {
  const answer = attempt((): unknown => JSON.parse(text))
  const reason = typeof answer === 'object' && answer !== null ? Reflect.get(answer, 'reason') : undefined
  return typeof reason === 'string' ? reason : undefined
}
