/** Encrypts session tokens for the database, with a key derived from the configuration. */
import { deriveKey } from '../core/derived-key.ts'
import { createEncryption, type Encryption } from '../core/encryption.ts'

/** The owner of a token is its subject. */
export type TokenEncryption = Encryption

/** `secret`: any high-entropy text that all instances share. */
export const createTokenEncryption = (secret: string): TokenEncryption =>
  createEncryption(deriveKey(secret, 'deferred sync'))
