/** Links to the files of exports. */
import { createSignedLinks } from '../../core/signed-links.ts'

export type ExportLinks = ReturnType<typeof createExportLinks>

/** `secret`: any high-entropy text that all instances share. */
export const createExportLinks = (secret: string) =>
  createSignedLinks(secret, 'links to exports', '/exports/')
