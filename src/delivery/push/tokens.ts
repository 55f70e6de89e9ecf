/** Tokens and subscriptions of devices: personal data, encrypted in the database. */
import { createHash } from 'node:crypto'
import { and, eq } from 'drizzle-orm'
import type { Database, Sources } from '../../../db/index.ts'
import { eachRow } from '../../../db/keyset.ts'
import {
  createRotatingEncryption,
  type Encryption,
  type RotatedKeys,
  type RotatingEncryption,
} from '../../core/encryption.ts'

const NONCE_BYTES = 12

/** Uses a key that is derived from the signing key of native tokens. */
export const createDeviceEncryption = (keys: RotatedKeys) => createRotatingEncryption(keys, 'devices of fans')

/** Tokens are too long to guess, so that the hash needs no key and outlasts rotations. */
export const hashOfToken = (kind: string, token: string): string =>
  createHash('sha256').update(`${kind} ${token}`).digest('base64url')

/** The hash of the token binds the ciphertext to its row, which may move to another fan. */
export const encryptToken = (
  encryption: Encryption,
  { randomBytes }: Pick<Sources, 'randomBytes'>,
  tokenHash: string,
  token: string,
) => encryption.encrypt(token, tokenHash, randomBytes(NONCE_BYTES))

/** Encrypts tokens again that an earlier key has encrypted. Returns how many. */
export async function reencryptTokens(db: Database, encryption: RotatingEncryption): Promise<number> {
  const { devices } = db.tables
  const { userId, deviceId, tokenHash, encryptedToken } = devices
  let renewed = 0
  const rows = eachRow({ userId, deviceId }, after =>
    db.read.select({ userId, deviceId, tokenHash, encryptedToken }).from(devices).where(after),
  )
  for await (const row of rows) {
    if (row.encryptedToken.startsWith(encryption.currentPrefix)) continue
    const token = encryption.decrypt(row.encryptedToken, row.tokenHash)
    if (token === null) continue
    const changed = await db.write(tx =>
      tx
        .update(devices)
        .set({ encryptedToken: encryptToken(encryption, tx, row.tokenHash, token) })
        .where(and(eq(tokenHash, row.tokenHash), eq(encryptedToken, row.encryptedToken)))
        .returning({ deviceId }),
    )
    renewed += changed.length
  }
  return renewed
}
