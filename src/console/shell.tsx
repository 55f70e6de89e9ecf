/** The frame around the screens: navigation by permission, account, network, toasts, and the palette. */
import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { api } from './api.ts'
import type { Area } from './areas.ts'
import { Badge } from './parts/badge.tsx'
import { Button } from './parts/button.tsx'
import { initialOf } from './parts/capital.ts'
import { Dialog } from './parts/dialog.tsx'
import { SelectField } from './parts/form.tsx'
import { Icon } from './parts/icon.tsx'
import { isPaletteOpen, Palette, type Target } from './parts/palette.tsx'
import { useAction } from './parts/resource.ts'
import { describe } from './parts/states.tsx'
import { Choice } from './parts/tabs.tsx'
import { Toasts } from './parts/toast.tsx'
import { chooseZone, THEMES, theme, ZONES, zone } from './preferences.ts'
import { addressOf, answerLeave, Link, navigate, route, unsaved, waiting } from './router.tsx'
import { type Session, session } from './session.ts'
import { forgetShown } from './shown.ts'

const isOnline = signal(navigator.onLine)
addEventListener('online', () => {
  isOnline.value = true
})
addEventListener('offline', () => {
  isOnline.value = false
})

const isMenuOpen = signal(false)
const isAccountOpen = signal(false)

interface ShellProps {
  /** The areas that the role may see. */
  areas: Area[]
  of: Session
  findFans?: ((text: string, signal: AbortSignal) => Promise<Target[]>) | undefined
  children: ComponentChildren
}

/** Areas in the bar of a phone; the others are in the menu. */
const BAR_COUNT = 4

export function Shell({ areas, of, findFans, children }: ShellProps) {
  const bar = areas.length <= BAR_COUNT + 1 ? areas : areas.slice(0, BAR_COUNT)
  const screens = areas.map(({ path, title, icon }) => ({
    id: `screen ${path}`,
    title,
    icon,
    to: addressOf(path),
  }))
  return (
    <div class="shell">
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <aside class="side">
        <Brand of={of} />
        <SearchButton />
        <Navigation areas={areas} label="Areas" />
        <Account of={of} />
      </aside>
      <header class="top">
        <Brand of={of} />
        <Button kind="quiet" icon="search" label="Search" onClick={() => (isPaletteOpen.value = true)} />
      </header>
      <main id="content" tabIndex={-1}>
        {!isOnline.value && (
          <p class="offline" role="status">
            <Icon name="offline" />
            <span>You are offline. What you see may be old, and nothing can be saved.</span>
          </p>
        )}
        {children}
      </main>
      <nav class="bar" aria-label="Main areas">
        {bar.map(area => (
          <AreaLink key={area.path} area={area} />
        ))}
        {bar.length < areas.length && (
          <button type="button" onClick={() => (isMenuOpen.value = true)}>
            <Icon name="menu" />
            <span>More</span>
          </button>
        )}
      </nav>
      {isMenuOpen.value && (
        <Dialog title="All areas" kind="drawer" onClose={() => (isMenuOpen.value = false)}>
          <Navigation areas={areas} label="All areas" onChoose={() => (isMenuOpen.value = false)} />
          <Account of={of} />
        </Dialog>
      )}
      {isAccountOpen.value && <AccountDialog of={of} />}
      {waiting.value !== null && <LeaveDialog />}
      <Palette screens={screens} findFans={findFans} />
      <Toasts />
    </div>
  )
}

const Brand = ({ of: { production } }: { of: Session }) => (
  <div class="brand">
    <Link to="/" class="brand-link">
      <span class="brand-mark" aria-hidden="true" />
      <span>Matchday</span>
    </Link>
    <Badge tone={production ? 'accent' : 'neutral'}>{production ? 'Production' : 'Dev'}</Badge>
  </div>
)

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent)

const SearchButton = () => (
  <button type="button" class="search-button" onClick={() => (isPaletteOpen.value = true)}>
    <Icon name="search" />
    <span>Search</span>
    <span class="kbd" aria-hidden="true">
      {isApple ? '⌘K' : 'Ctrl K'}
    </span>
  </button>
)

function Navigation({ areas, label, onChoose }: { areas: Area[]; label: string; onChoose?: () => unknown }) {
  const groups = Map.groupBy(areas, ({ group }) => group)
  return (
    <nav class="navigation" aria-label={label}>
      {[...groups].map(([group, ofGroup]) => (
        <ul key={group}>
          {ofGroup.map(area => (
            <li key={area.path}>
              <AreaLink area={area} onChoose={onChoose} />
            </li>
          ))}
        </ul>
      ))}
    </nav>
  )
}

const AreaLink = ({ area, onChoose }: { area: Area; onChoose?: (() => unknown) | undefined }) => (
  <Link
    to={addressOf(area.path)}
    aria-current={(route.value[0] ?? '') === area.path ? 'page' : undefined}
    {...(onChoose ? { onClick: onChoose } : {})}
  >
    <Icon name={area.icon} />
    <span>{area.title}</span>
  </Link>
)

const Account = ({ of: { staff } }: { of: Session }) => (
  <button
    type="button"
    class="account"
    onClick={() => {
      isMenuOpen.value = false
      isAccountOpen.value = true
    }}
  >
    <span class="initial" aria-hidden="true">
      {initialOf(staff.name)}
    </span>
    <span class="account-words">
      <bdi>{staff.name}</bdi>
      <span class="quiet">{staff.role}</span>
    </span>
    <span class="unseen">, account and settings</span>
  </button>
)

const THEME_TITLES = { system: 'As the system', light: 'Light', dark: 'Dark' }

function AccountDialog({ of: { staff } }: { of: Session }) {
  const close = () => {
    isAccountOpen.value = false
  }
  const signOut = useAction(async () => {
    await api.endSession()
    close()
    forgetShown()
    session.value = null
    navigate('/')
  })
  return (
    <Dialog title="Account and settings" onClose={close} busy={signOut.isBusy}>
      <div class="fields">
        <p>
          Signed in as <bdi class="strong">{staff.name}</bdi>, {staff.role}.
        </p>
        <div class="field">
          <div class="field-label">
            <span>Colours</span>
          </div>
          <Choice
            label="Colours"
            options={THEMES.map(value => ({ value, title: THEME_TITLES[value] }))}
            value={theme.value}
            onChange={value => {
              theme.value = value
            }}
          />
        </div>
        <SelectField
          label="Time zone"
          hint="All times are shown and entered in it."
          required
          value={zone.value}
          options={ZONES.map(value => ({ value, title: value.replaceAll('_', ' ') }))}
          onChange={chooseZone}
        />
        {signOut.error !== null && (
          <p class="form-error" role="alert">
            {describe(signOut.error)}
          </p>
        )}
      </div>
      <div class="form-foot">
        <Button icon="signOut" busy={signOut.isBusy} onClick={() => signOut.run()}>
          Sign out
        </Button>
      </div>
    </Dialog>
  )
}

/** Asks before unsaved work is left. */
const LeaveDialog = () => (
  <Dialog title="Leave without saving?" onClose={() => answerLeave(false)}>
    <div class="dialog-text">
      <p>{unsaved.value} is not saved.</p>
    </div>
    <div class="form-foot">
      <Button kind="danger" onClick={() => answerLeave(true)}>
        Leave
      </Button>
      <Button autofocus onClick={() => answerLeave(false)}>
        Stay here
      </Button>
    </div>
  </Dialog>
)
