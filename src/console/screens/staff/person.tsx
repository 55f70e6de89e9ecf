/** A person of the staff: sessions, links, what their role allows, and what an owner can change. */
import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Dialog, ReasonDialog } from '../../parts/dialog.tsx'
import { Facts } from '../../parts/page.tsx'
import { toast } from '../../parts/toast.tsx'
import { None, Time } from '../../parts/values.tsx'
import { addressOf, Link } from '../../router.tsx'
import { InviteDialog, RoleField } from './invitation.tsx'
import { accessOf, hasAccess, type PersonData, ROLE_TITLES, type StaffData } from './words.ts'

/** Characters of a reason. */
const REASON_MAX = 500

interface PersonProps {
  of: PersonData
  roles: StaffData['roles']
  onDone: () => unknown
  onClose: () => unknown
}

export function PersonDrawer({ of: person, roles, onDone, onClose }: PersonProps) {
  const [act, setAct] = useState<'role' | 'end' | 'invite' | null>(null)
  const { staff, sessions, links, way, isYou, lastSignInAt } = person
  const [access, tone] = accessOf(person)
  const may = roles.find(({ role }) => role === staff.role)?.may ?? []
  const close = () => setAct(null)
  return (
    <>
      <Dialog title={staff.name} kind="wide" onClose={onClose}>
        <div class="detail">
          <Facts
            of={[
              ['Role', ROLE_TITLES[staff.role]],
              [
                'Access',
                <Badge key="access" tone={tone}>
                  {access}
                </Badge>,
              ],
              ['Signs in', way === 'link' ? 'With a link' : 'With the provider of the staff'],
              ['Last sign-in', lastSignInAt ? <Time key="last" at={lastSignInAt} /> : <None key="last" />],
              [
                'Actions',
                <Link key="log" to={`${addressOf('audit')}?filter=${encodeURIComponent(logOf(staff.id))}`}>
                  In the audit log
                </Link>,
              ],
            ]}
          />
          {sessions.length > 0 && (
            <section>
              <h3>Sessions</h3>
              <ul>
                {sessions.map(({ id, createdAt, lastUsedAt, expiresAt, role }) => (
                  <li key={id}>
                    {ROLE_TITLES[role]}, since <Time at={createdAt} />, used <Time at={lastUsedAt} relative />
                    , ends <Time at={expiresAt} />
                  </li>
                ))}
              </ul>
            </section>
          )}
          {links.length > 0 && (
            <section>
              <h3>Links that nobody has used</h3>
              <ul>
                {links.map(({ createdAt, expiresAt, role, invitedBy }) => (
                  <li key={createdAt}>
                    {ROLE_TITLES[role]}, made <Time at={createdAt} relative /> by{' '}
                    <bdi>{invitedBy ?? 'an operator of the server'}</bdi>, works until <Time at={expiresAt} />
                  </li>
                ))}
              </ul>
            </section>
          )}
          <section>
            <h3>The role allows to</h3>
            <ul>
              {may.map(about => (
                <li key={about}>{about}</li>
              ))}
            </ul>
          </section>
          <div class="actions">
            {way === 'link' && (
              <Button small icon="mail" onClick={() => setAct('invite')}>
                New link
              </Button>
            )}
            <Button small icon="edit" blocked={roleBlocked(person)} onClick={() => setAct('role')}>
              Change role
            </Button>
            <Button
              small
              kind="danger"
              icon="remove"
              blocked={
                sessions.length + links.length === 0 && 'No session and no link of this person is left.'
              }
              onClick={() => setAct('end')}
            >
              End access
            </Button>
          </div>
          {isYou && <p class="quiet">This is you.</p>}
        </div>
      </Dialog>
      {act === 'role' && <RoleDialog of={person} roles={roles} onDone={onDone} onClose={close} />}
      {act === 'end' && <EndDialog of={person} onDone={onDone} onClose={close} />}
      {act === 'invite' && <InviteDialog roles={roles} again={person} onDone={onDone} onClose={close} />}
    </>
  )
}

const logOf = (staffId: string) => new URLSearchParams({ staffId }).toString()

function roleBlocked(person: PersonData): string | false {
  if (person.isYou) return 'Another owner must change your role.'
  if (person.way === 'provider') return 'The provider of the staff decides the role. Change it there.'
  return !hasAccess(person) && 'The person has no access. A new link has the role that you choose.'
}

interface ChangeProps {
  of: PersonData
  onDone: () => unknown
  onClose: () => unknown
}

function RoleDialog({ of: { staff }, roles, onDone, onClose }: ChangeProps & Pick<StaffData, 'roles'>) {
  const [role, setRole] = useState(staff.role)
  return (
    <ReasonDialog
      title={`Change the role of ${staff.name}`}
      action="Change the role"
      blocked={role === staff.role && 'Choose another role first.'}
      fields={<RoleField roles={roles} value={role} onChange={setRole} />}
      onConfirm={async reason => {
        await api.changeStaffRole({ staffId: staff.id, role, reason })
        toast(`${staff.name} has the role ${ROLE_TITLES[role]} now.`, async () => {
          const undone = `Undone: ${reason}`.slice(0, REASON_MAX)
          await api.changeStaffRole({ staffId: staff.id, role: staff.role, reason: undone })
          await onDone()
          return `${staff.name} has the role ${ROLE_TITLES[staff.role]} again.`
        })
        await onDone()
      }}
      onClose={onClose}
    >
      <p>
        It applies at once to open sessions and unused links. Requests of this person that the new role does
        not allow end.
      </p>
    </ReasonDialog>
  )
}

const EndDialog = ({ of: { staff, way, isYou }, onDone, onClose }: ChangeProps) => (
  <ReasonDialog
    title={isYou ? 'End your own access?' : `End the access of ${staff.name}?`}
    action="End access"
    tone="danger"
    onConfirm={async reason => {
      await api.endSessionsOfStaff({ staffId: staff.id, reason })
      toast(`The access of ${staff.name} has ended.`)
      await onDone()
    }}
    onClose={onClose}
  >
    <p>
      {isYou ? 'You are' : 'They are'} signed out at once on every device. Links that were not used stop
      working, and requests that wait for a second person end.
    </p>
    {way === 'provider' && (
      <p>The provider can still sign this person in. Remove the account or its role there as well.</p>
    )}
  </ReasonDialog>
)
