import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { KeyStore } from './keys.ts'

/**
 * Keeps the signing keys in a JSON file that only its owner can read, so that tokens outlive a restart.
 * @throws Error when the file exists and does not hold keys
 */
export function createKeyFile(path: string): KeyStore {
  return {
    load() {
      if (!existsSync(path)) return undefined
      const keys = parse(readFileSync(path, 'utf8'))
      if (!Array.isArray(keys) || keys.length === 0 || !keys.every(key => typeof key?.kid === 'string')) {
        throw new Error(`${path} does not hold signing keys. Delete it to create new ones.`)
      }
      // Guarantee of the cast: `save` writes the file.
      return keys as ReturnType<KeyStore['load']>
    },
    save(keys) {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(`${path}.new`, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 })
      renameSync(`${path}.new`, path)
    },
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
