/** The data of a fan that a role sees, beyond `fans.read`. */
import { mayDo, type Role } from '../roles.ts'

export const accessOf = (role: Role) => ({
  personal: mayDo(role, 'fans.personal'),
  moderation: mayDo(role, 'moderation.read'),
})
