import { createECDH, createPrivateKey } from 'node:crypto'
import { attempt } from '../../core/attempt.ts'
import type { EnvironmentReader } from './environment.ts'

/** The key pair that identifies this server to push services of browsers (RFC 8292): base64url, as tools print it. */
export interface VapidConfig {
  privateKey: string
  publicKey: string
  /** `mailto:` or `https:`, by which a push service reaches the club. */
  subject: string
}

/** A service account of Google, which sends by FCM. */
export interface FcmConfig {
  projectId: string
  clientEmail: string
  privateKey: string
  tokenUrl: string
}

/** A signing key of Apple's developer account. */
export interface ApnsConfig {
  key: string
  keyId: string
  teamId: string
  /** The bundle id of the app. */
  topic: string
  sandbox: boolean
}

const NAME = 'PUSH_CREDENTIALS'
const KEY_BYTES = 32
/** Of development keys, which production refuses. */
export const DEVELOPMENT_SUBJECT = 'mailto:development@matchday.invalid'

type Members = Record<string, unknown>

/** Null: pushes of this kind are not sent. One variable, since all of it is secret and usually a file. */
export function readPushConfig(reader: EnvironmentReader) {
  const text = reader.secret(NAME)
  const read = text === undefined ? {} : attempt((): unknown => JSON.parse(text))
  const { vapid, fcm, apns, ...others } = membersOf(read)
  if (!isObject(read) || Object.keys(others).length > 0)
    reader.refuse(NAME, 'must be a JSON object with the members vapid, fcm and apns')
  return Object.freeze({
    vapid: vapid === undefined ? null : readVapid(reader, membersOf(vapid)),
    fcm: fcm === undefined ? null : readFcm(reader, membersOf(fcm)),
    apns: apns === undefined ? null : readApns(reader, membersOf(apns)),
  })
}

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const membersOf = (value: unknown): Members => (isObject(value) ? value : {})
/** Empty if it is no text. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

function readVapid(reader: EnvironmentReader, members: Members): VapidConfig {
  const privateKey = textOf(members.key)
  const subject = textOf(members.subject)
  const publicKey = publicKeyOf(privateKey)
  if (publicKey === undefined)
    reader.refuse(NAME, 'must have a vapid.key: a private key of P-256, 32 bytes in base64url')
  if (!/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/.test(subject))
    reader.refuse(NAME, 'must have a vapid.subject: mailto: and an address, or an https URL')
  else if (reader.production && subject === DEVELOPMENT_SUBJECT)
    reader.refuse(NAME, 'has a development key: generate another one for production')
  return { privateKey, publicKey: publicKey ?? '', subject }
}

function publicKeyOf(privateKey: string): string | undefined {
  const bytes = /^[\w-]{43}=?$/.test(privateKey) ? Buffer.from(privateKey, 'base64url') : Buffer.alloc(0)
  if (bytes.length !== KEY_BYTES) return undefined
  return attempt(() => {
    const pair = createECDH('prime256v1')
    pair.setPrivateKey(bytes)
    return pair.getPublicKey('base64url')
  })
}

function readFcm(reader: EnvironmentReader, members: Members): FcmConfig {
  const account = {
    projectId: textOf(members.project_id),
    clientEmail: textOf(members.client_email),
    privateKey: textOf(members.private_key),
    tokenUrl: textOf(members.token_uri),
  }
  const isUsable =
    Object.values(account).every(Boolean) &&
    account.tokenUrl.startsWith('https://') &&
    attempt(() => createPrivateKey(account.privateKey))?.asymmetricKeyType === 'rsa'
  if (!isUsable) reader.refuse(NAME, 'must have as fcm the key of a service account, as Google gives it')
  return account
}

function readApns(reader: EnvironmentReader, members: Members): ApnsConfig {
  const [key, keyId, teamId, topic] = [members.key, members.keyId, members.teamId, members.topic].map(textOf)
  const { sandbox = false } = members
  if (attempt(() => createPrivateKey(key ?? ''))?.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
    reader.refuse(NAME, 'must have an apns.key: the content of a .p8 file of Apple')
  if (!keyId || !teamId || !topic || typeof sandbox !== 'boolean')
    reader.refuse(NAME, 'must have apns.keyId, apns.teamId and apns.topic; apns.sandbox is true or false')
  return {
    key: key ?? '',
    keyId: keyId ?? '',
    teamId: teamId ?? '',
    topic: topic ?? '',
    sandbox: sandbox === true,
  }
}
