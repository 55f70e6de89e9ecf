import { X509Certificate } from 'node:crypto'
import { attempt } from '../../core/attempt.ts'
import type { EnvironmentReader } from './environment.ts'

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** Returns `pem`, null if it is undefined, and refuses the setting unless it is certificates in PEM. */
export function readCertificates(
  reader: EnvironmentReader,
  name: string,
  pem: string | undefined,
): string | null {
  if (pem === undefined) return null
  const certificates = pem.match(CERTIFICATE) ?? []
  if (certificates.length === 0 || !certificates.every(text => attempt(() => new X509Certificate(text))))
    reader.refuse(name, 'must be certificates in PEM')
  return pem
}
