/** Files that fans have bought: signed links that expire. */

import { join } from 'node:path'
import type { Database, Reader, Transaction } from '../../../db/index.ts'
import type { Viewer } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { createSignedLinks } from '../../core/signed-links.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import { lockToCount } from '../../identity/users/locks.ts'
import { parseDelivers } from './delivers.ts'
import { findOrder, readLines, updateLine } from './order-rows.ts'
import { shopProblems } from './problems.ts'

export type Downloads = ReturnType<typeof createDownloads>

/** `secret`: any high-entropy text that all instances share. `folder`: null where no files are sold. */
export function createDownloads(secret: string, folder: string | null) {
  const links = createSignedLinks(secret, 'downloads', '/downloads/')
  return {
    folder,
    issue(orderId: string, number: number, now: Date) {
      const { url, expiresAt } = links.issue(`${orderId}.${number}`, now)
      return { url, expiresAt: expiresAt.toISOString() }
    },
    /** The order line of a link; null for a link that is forged or has expired. */
    read(token: string, now: Date): { orderId: string; number: number } | null {
      const [orderId, number] = links.read(token, now)?.split('.') ?? []
      return orderId === undefined ? null : { orderId, number: Number(number) }
    },
  }
}

/**
 * A link to the file of a paid line of the caller. From the first one on, the file counts as used.
 * @throws DomainError `order_not_found`, `no_download`
 */
export async function issueDownload(
  db: Database,
  downloads: Downloads,
  { userId }: Viewer,
  orderId: string,
  number: number,
) {
  const { read: reader } = db
  const order = await findOrder(reader, orderId)
  if (!order || order.userId !== userId) throw new DomainError(shopProblems.order_not_found)
  if (!(await findFile(reader, orderId, number))) throw new DomainError(shopProblems.no_download)
  const line = (await readLines(reader, orderId)).find(line => line.number === number)
  if (line?.downloadedAt === null) await db.write(tx => noteDownload(tx, userId, orderId, number))
  return downloads.issue(orderId, number, reader.now())
}

/** Under the lock of a withdrawal, which decides by it. @throws DomainError `no_download` */
async function noteDownload(tx: Transaction, userId: string, orderId: string, number: number): Promise<void> {
  await lockToCount(tx, userId)
  if (!(await findFile(tx, orderId, number))) throw new DomainError(shopProblems.no_download)
  await updateLine(tx, orderId, number, { downloadedAt: tx.now() })
}

/** The file of a paid line; undefined for a line without a file, or after its refund or withdrawal. */
async function findFile(reader: Reader, orderId: string, number: number): Promise<string | undefined> {
  const order = await findOrder(reader, orderId)
  const line = (await readLines(reader, orderId)).find(line => line.number === number)
  const isOpen = order?.status === 'completed' && line && line.withdrawnAt === null
  return isOpen ? parseDelivers(line.delivers).file : undefined
}

/** @throws DomainError `not_found` for a link that is forged, has expired, or whose order is refunded */
export async function openDownload(reader: Reader, downloads: Downloads, token: string, now: Date) {
  const line = downloads.read(token, now)
  const name = line && (await findFile(reader, line.orderId, line.number))
  const file = name && downloads.folder !== null ? Bun.file(join(downloads.folder, name)) : null
  if (!name || !file || !(await file.exists())) throw new DomainError(transportProblems.not_found)
  return { name, file }
}
