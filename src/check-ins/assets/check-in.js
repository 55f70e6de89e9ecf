/**
 * Shows the check-in code of a match. The code comes from the fragment, which another system replaces, or from the API with
 * a server key that staff enter. The key is in a variable only, so a reload forgets it.
 */
import { generate } from './lean-qr.mjs'

/** No code works longer. */
const CODE_MS = 60_000
/** More often than codes change, so that the clock of the tablet does not matter. */
const REFRESH_MS = 10_000

const matchId = decodeURIComponent(location.pathname.split('/').at(-1))
const element = id => document.getElementById(id)
const [form, input, figure, state] = ['key', 'server-key', 'shown', 'state'].map(element)
let expiry

function show(code) {
  generate(code, { minCorrectionLevel: 1 }).toCanvas(element('qr'), {
    pad: 4,
    on: [0, 0, 0],
    off: [255, 255, 255],
  })
  element('code').textContent = code
  figure.hidden = false
  state.textContent = ''
  clearTimeout(expiry)
  expiry = setTimeout(() => hide('The code has expired.'), CODE_MS)
}

function hide(reason) {
  figure.hidden = true
  state.textContent = reason
}

const read = async (path, headers = {}) => {
  const response = await fetch(path, { headers, cache: 'no-store' })
  const body = await response.json()
  if (!response.ok) throw Object.assign(new Error(body.title), { status: response.status })
  return body
}

async function showMatch() {
  const [match, { teams }] = await Promise.all([
    read(`/api/matches/${encodeURIComponent(matchId)}`),
    read('/api/teams'),
  ])
  const nameOf = teamId => teams.find(({ id }) => id === teamId)?.name ?? teamId
  element('match').textContent = `${nameOf(match.homeTeamId)} – ${nameOf(match.awayTeamId)}`
}

/** Until the key is refused. A code that is shown stays during an outage, until it expires. */
async function refresh(key) {
  try {
    const path = `/api/matches/${encodeURIComponent(matchId)}/check-in-code`
    show((await read(path, { authorization: `Bearer ${key}` })).code)
    form.hidden = true
  } catch ({ message, status }) {
    if (status >= 400 && status < 500 && status !== 429) {
      form.hidden = false
      return hide(message)
    }
    state.textContent = 'The server does not respond. Trying again.'
  }
  setTimeout(() => refresh(key), REFRESH_MS)
}

function showFragment() {
  const code = location.hash.slice(1)
  form.hidden = code !== ''
  if (code !== '') show(decodeURIComponent(code))
}

form.addEventListener('submit', event => {
  event.preventDefault()
  const key = input.value.trim()
  input.value = ''
  refresh(key)
})
addEventListener('hashchange', showFragment)
showFragment()
showMatch().catch(({ message }) => {
  state.textContent = message
})
