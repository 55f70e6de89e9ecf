import type { Config } from '../../../platform/config/config.ts'
import { permissionsOf } from '../roles.ts'
import type { StaffSession } from './sessions.ts'

export const presentSession = (
  { staff, expiresAt, csrfToken }: StaffSession & { csrfToken: string },
  { production, docs }: Pick<Config, 'production' | 'docs'>,
) => ({
  staff,
  permissions: permissionsOf(staff.role),
  csrfToken,
  expiresAt: expiresAt.toISOString(),
  production,
  ...(docs.publicUrl === null ? {} : { publicUrl: docs.publicUrl }),
})
