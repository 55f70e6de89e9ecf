/** What the owner of a league can change: its name, lock and code, and its members. */
import { useState } from 'preact/hooks'
import {
  banMember,
  changeLeague,
  endLeagueBan,
  type League,
  type LeagueChange,
  type LeagueEntry,
  removeMember,
} from '../api.ts'
import { text } from '../lang/lang.ts'
import { useWrite } from '../load.tsx'
import { Button } from './button.tsx'
import { Confirm } from './confirm.tsx'
import { Section } from './layout.tsx'
import { Notice } from './notice.tsx'
import { Refused } from './refused.tsx'

export function Manage({ league, reload }: { league: League; reload: () => Promise<void> }) {
  const { id, name, locked } = league
  const [saved, setSaved] = useState(false)
  const [replacing, setReplacing] = useState(false)
  const change = useWrite(async (wanted: LeagueChange, key) => {
    setSaved(false)
    await changeLeague(id, wanted, key)
    setReplacing(false)
    setSaved(wanted.name !== undefined)
    await reload()
  })
  const rename = async (event: SubmitEvent) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget as HTMLFormElement)
    const written = String(fields.get('name')).trim()
    if (written !== '') await change.run({ name: written })
  }
  return (
    <Section title={text.leagues.manage}>
      <div class="panel league-owner">
        <form class="field-row" onSubmit={rename}>
          <label class="grow">
            <span>{text.leagues.name}</span>
            <input
              name="name"
              required
              maxLength={50}
              dir="auto"
              autocomplete="off"
              defaultValue={name ?? ''}
            />
          </label>
          <Button submit kind="plain" busy={change.busy?.name !== undefined}>
            {text.leagues.rename}
          </Button>
          <span aria-live="polite">{saved && text.leagues.saved}</span>
        </form>
        {!replacing && <Refused write={change} />}
        <div class="actions">
          <Button
            kind="plain"
            busy={change.busy?.locked !== undefined}
            onClick={() => change.run({ locked: !locked })}
          >
            {locked ? text.leagues.unlock : text.leagues.lock}
          </Button>
          <Button kind="plain" onClick={() => setReplacing(true)}>
            {text.leagues.newCode}
          </Button>
        </div>
        <EndBan leagueId={id} />
      </div>
      {replacing && (
        <Confirm
          title={text.leagues.newCodeTitle}
          action={text.leagues.newCode}
          busy={change.isBusy}
          onConfirm={() => change.run({ newCode: true })}
          onCancel={() => setReplacing(false)}
        >
          <p>{text.leagues.newCodeLead}</p>
          {change.error !== null && <Notice error={change.error} />}
        </Confirm>
      )}
    </Section>
  )
}

/** By handle: the API lists no bans. */
function EndBan({ leagueId }: { leagueId: string }) {
  const [ended, setEnded] = useState(false)
  const end = useWrite(async (handle: string) => {
    setEnded(false)
    await endLeagueBan(leagueId, handle)
    setEnded(true)
  })
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget as HTMLFormElement)
    const handle = String(fields.get('handle')).trim().replace(/^@/, '').toLowerCase()
    if (handle !== '') await end.run(handle)
  }
  return (
    <form class="field-row" onSubmit={submit}>
      <label class="grow">
        <span>{text.leagues.endBanHandle}</span>
        <input name="handle" required maxLength={20} dir="ltr" autocomplete="off" autocapitalize="off" />
      </label>
      <Button submit kind="plain" busy={end.isBusy}>
        {text.leagues.endBan}
      </Button>
      <span aria-live="polite">{ended && text.leagues.banEnded}</span>
      {end.error !== null && <Notice error={end.error} />}
    </form>
  )
}

const ACTIONS = ['remove', 'ban', 'owner'] as const
export type MemberAction = (typeof ACTIONS)[number]

interface MemberActionsProps {
  league: League
  member: LeagueEntry
  name: string
  onDone: (action: MemberAction) => Promise<void>
  onCancel: () => void
}

/** Removes or bans a member, or makes them the owner. */
export function MemberActions({ league, member, name, onDone, onCancel }: MemberActionsProps) {
  const [action, setAction] = useState<MemberAction>('remove')
  const write = useWrite(async (wanted: MemberAction, key) => {
    // Each member has a number, and not each a handle.
    const handle = member.handle ?? `member-${member.number}`
    if (wanted === 'remove') await removeMember(league.id, handle)
    else if (wanted === 'ban') await banMember(league.id, handle, key)
    else await changeLeague(league.id, { owner: handle }, key)
    await onDone(wanted)
  })
  return (
    <Confirm
      title={name}
      action={text.leagues.choices[action]}
      busy={write.isBusy}
      onConfirm={() => write.run(action)}
      onCancel={onCancel}
    >
      <fieldset>
        <legend class="unseen">{text.leagues.actionsOf(name)}</legend>
        {ACTIONS.filter(one => one !== 'owner' || member.handle !== null).map(one => (
          <label key={one} class="radio">
            <input type="radio" name="action" checked={one === action} onChange={() => setAction(one)} />
            <span>
              <strong class="line">{text.leagues.choices[one]}</strong>
              <small class="quiet">{text.leagues.choiceLeads[one]}</small>
            </span>
          </label>
        ))}
      </fieldset>
      {write.error !== null && <Notice error={write.error} />}
    </Confirm>
  )
}
