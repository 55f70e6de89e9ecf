/** Invites a person by a link, which is copied or sent by the mail program of this computer. */
import { useRef, useState } from 'preact/hooks'
import { api, type Data } from '../../api.ts'
import { Button, Copy } from '../../parts/button.tsx'
import { Dialog, ReasonDialog } from '../../parts/dialog.tsx'
import { SelectField, TextField } from '../../parts/form.tsx'
import { formatExactTime } from '../../parts/format.ts'
import { Icon } from '../../parts/icon.tsx'
import { Note } from '../../parts/states.tsx'
import { Time } from '../../parts/values.tsx'
import { mailFor, type PersonData, ROLE_TITLES, type Role, type StaffData } from './words.ts'

const NAME_MAX = 100

interface InviteProps {
  roles: StaffData['roles']
  /** A person who gets another link, with their name. */
  again?: PersonData | undefined
  onDone: () => unknown
  onClose: () => unknown
}

export function InviteDialog({ roles, again, onDone, onClose }: InviteProps) {
  const [name, setName] = useState(again?.staff.name ?? '')
  const [role, setRole] = useState<Role | null>(again?.staff.role ?? null)
  const [mail, setMail] = useState('')
  const [made, setMade] = useState<Data<'inviteStaff'> | null>(null)
  const isMade = useRef(false)
  if (made !== null) return <LinkDialog of={made} name={name.trim()} mail={mail.trim()} onClose={onClose} />
  return (
    <ReasonDialog
      title={again ? `New link for ${again.staff.name}` : 'Invite a person'}
      action="Create the link"
      blocked={(name.trim() === '' && 'Write the name first.') || (role === null && 'Choose a role first.')}
      onConfirm={async reason => {
        // The button waits for a role.
        if (role === null) return
        const link = await api.inviteStaff({ name: name.trim(), role, reason })
        isMade.current = true
        setMade(link)
        onDone()
      }}
      onClose={() => isMade.current || onClose()}
      fields={
        <>
          {again ? null : (
            <TextField
              label="Name"
              pointer="/name"
              hint="Use the same name each time: people are told apart by it, and it stands in the audit log."
              required
              autofocus
              max={NAME_MAX}
              value={name}
              onChange={setName}
            />
          )}
          <RoleField roles={roles} value={role} onChange={setRole} />
          <TextField
            label="E-mail address"
            hint="Only for the message that your mail program opens. It is not stored."
            value={mail}
            onChange={setMail}
          />
        </>
      }
    />
  )
}

interface RoleFieldProps {
  roles: StaffData['roles']
  value: Role | null
  onChange: (role: Role) => void
}

/** The role, with what it allows. */
export function RoleField({ roles, value, onChange }: RoleFieldProps) {
  const chosen = roles.find(({ role }) => role === value)
  return (
    <>
      <SelectField
        label="Role"
        pointer="/role"
        required
        value={value}
        options={roles.map(({ role }) => ({ value: role, title: ROLE_TITLES[role] }))}
        onChange={onChange}
      />
      {chosen && (
        <div class="role-allows">
          {chosen.needsSecondPerson && (
            <Note>Another owner must confirm this role. They get the link, and hand it over.</Note>
          )}
          <details>
            <summary>What this role allows</summary>
            <ul>
              {chosen.may.map(about => (
                <li key={about}>{about}</li>
              ))}
            </ul>
          </details>
        </div>
      )}
    </>
  )
}

interface LinkProps {
  of: Pick<Data<'inviteStaff'>, 'secret' | 'expiresAt'>
  name: string
  /** Empty: the mail program asks. */
  mail?: string
  onClose: () => unknown
}

/** The link, shown once. Only its button closes it. */
export function LinkDialog({ of: { secret, expiresAt }, name, mail = '', onClose }: LinkProps) {
  const link = `${location.origin}/sign-in#${secret}`
  const message = mailFor(name, link, formatExactTime(expiresAt))
  return (
    <Dialog title={`The link for ${name}`} busy onClose={onClose}>
      <div class="dialog-text">
        <Note tone="warn">
          Send it to {name} alone: the first person who opens it and presses “Sign in” is signed in. It is not
          shown again. It works once, until <Time at={expiresAt} />.
        </Note>
        <p class="secret">
          <Copy value={link} label="Copy the link" />
        </p>
      </div>
      <div class="form-foot">
        <a class="button plain" href={`mailto:${encodeURIComponent(mail)}?${message}`}>
          <Icon name="mail" />
          <span>Write an e-mail</span>
        </a>
        <Button kind="primary" autofocus onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  )
}
