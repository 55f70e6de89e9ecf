/** The pages that fans share: of a locker, an opened pack and an exact prediction. The server renders them, and they run no script. */
import { htmlPage } from '../../platform/docs/html-page.ts'
import type { ShownLocker } from '../lockers/schema.ts'
import type { SharedOpening } from '../packs/shared-opening.ts'
import type { SharedPrediction } from '../predictions/shared-prediction.ts'
import type { Words } from './words.ts'

/** These files are served also where the documentation is not. */
export const shareAsset = (name: string) => `/lockers/-/${name}`
const shared = { styles: ['share.css'], asset: shareAsset, links: [], home: '/' }

const escaped = (text: string) => Bun.escapeHTML(text)

export interface SharedPage {
  title: string
  description: string
  /** HTML. */
  content: string
}

interface Frame {
  words: Words
  /**
   * The absolute URL of the page; null if none is configured. Never taken from the request: a client can send any host, and
   * caches would serve it to others.
   */
  address: string | null
  /** The absolute URL of the picture, which changes with its content. */
  picture: string | null
  /** Of the app, where a fan makes the same, with the text of the link. */
  action: { url: string; text: string } | null
  /** The address of the page to report, absolute if one is configured. */
  reported: string
}

export function sharedPage(page: SharedPage, { words, address, picture, action, reported }: Frame): string {
  const { title, description, content } = page
  const { lang, dir } = words
  const link = action
    ? `\n<p class="action"><a href="${escaped(action.url)}">${escaped(action.text)}</a></p>`
    : ''
  const notice = `/notice?${new URLSearchParams({ location: reported, lang })}`
  const report = `\n<p class="report"><a href="${escaped(notice)}" rel="nofollow">${words.report}</a></p>`
  return htmlPage({
    ...shared,
    lang,
    dir,
    title,
    description,
    head: [
      ...openGraph(title, description),
      ...(address && picture ? addresses(address, picture, description) : []),
    ].join('\n'),
    content: content.replace('</main>', () => `${link}${report}\n</main>`),
  })
}

export const nameOf = (fan: { displayName: string | null; handle: string | null }): string | null =>
  fan.displayName ?? (fan.handle === null ? null : `@${fan.handle}`)

export function lockerPage(locker: ShownLocker, words: Words): SharedPage {
  const { handle, displayName, avatarUrl, theme, shelves } = locker
  const owner = displayName ?? `@${handle}`
  const title = locker.title || words.lockerOf(owner)
  const count = words.items(shelves.flatMap(({ items }) => items).length)
  const by = `<bdi>${escaped(owner)}</bdi>${displayName === null ? '' : ` <span dir="ltr">@${escaped(handle)}</span>`} · ${count}`
  return {
    title,
    description: `${words.lockerOf(owner)}: ${count}`,
    content: `<main class="share ${theme}">
${headerOf(title, by, avatarUrl)}
${shelves.map(shelf => shelfOf(shelf, words)).join('\n') || `<p class="empty">${words.emptyLocker}</p>`}
</main>`,
  }
}

export function openingPage({ name, items, owner }: SharedOpening, words: Words): SharedPage {
  const count = words.items(items.length)
  const by = nameOf(owner)
  const title = words.opening(name, by)
  return {
    title,
    description: count,
    content: `<main class="share night">
${headerOf(title, count, owner.avatarUrl)}
${shelfOf({ title: '', items }, words)}
</main>`,
  }
}

export function predictionPage(prediction: SharedPrediction, words: Words): SharedPage {
  const { home, away, homeScore, awayScore, competition, owner } = prediction
  const title = words.calledIt(nameOf(owner))
  const sideOf = ({ name, shortName, crestUrl }: SharedPrediction['home']) =>
    `<div class="side">${crestUrl === null ? `<span class="crest" aria-hidden="true">${escaped(shortName)}</span>` : image('crest', crestUrl)}<strong dir="auto">${escaped(name)}</strong></div>`
  return {
    title,
    description: `${words.exact(home.name, away.name)}, ${homeScore}–${awayScore}`,
    content: `<main class="share result">
${headerOf(title, `<bdi>${escaped(competition)}</bdi>`, owner.avatarUrl)}
<div class="score">${sideOf(home)}<strong class="goals">${homeScore} – ${awayScore}</strong>${sideOf(away)}</div>
</main>`,
  }
}

const image = (kind: string, url: string) =>
  `<img class="${kind}" src="${escaped(url)}" alt="" referrerpolicy="no-referrer">`

const headerOf = (title: string, about: string, avatarUrl: string | null) => `<header>
${avatarUrl === null ? '' : `<img class="avatar" src="${escaped(avatarUrl)}" alt="" width="72" height="72" referrerpolicy="no-referrer">\n`}<div>
<h1 dir="auto">${escaped(title)}</h1>
<p>${about}</p>
</div>
</header>`

type Item = Pick<
  ShownLocker['shelves'][number]['items'][number],
  'name' | 'imageUrl' | 'rarity' | 'serialNumber'
>

function shelfOf({ title, items }: { title: string; items: Item[] }, words: Words): string {
  const heading = title === '' ? '' : `<h2 dir="auto">${escaped(title)}</h2>\n`
  const cards =
    items.map(item => cardOf(item, words)).join('\n') || `<li class="empty">${words.emptyShelf}</li>`
  return `<section>\n${heading}<ul>\n${cards}\n</ul>\n</section>`
}

function cardOf({ name, imageUrl, rarity, serialNumber }: Item, words: Words): string {
  const picture =
    imageUrl === null
      ? '<span class="picture"></span>'
      : `<img class="picture" src="${escaped(imageUrl)}" alt="" loading="lazy" referrerpolicy="no-referrer">`
  return `<li>${picture}<strong dir="auto">${escaped(name)}</strong><span>${words.serial(serialNumber)} · <bdi>${escaped(rarity)}</bdi></span></li>`
}

const property = (name: string, value: string | number) =>
  `<meta property="og:${name}" content="${escaped(String(value))}">`

const openGraph = (title: string, description: string) => [
  property('type', 'website'),
  property('site_name', 'Matchday'),
  property('title', title),
  property('description', description),
]

/** Open Graph needs absolute URLs. */
const addresses = (page: string, picture: string, description: string) => [
  `<link rel="canonical" href="${escaped(page)}">`,
  property('url', page),
  property('image', picture),
  property('image:type', 'image/png'),
  property('image:width', 1_200),
  property('image:height', 630),
  property('image:alt', description),
  '<meta name="twitter:card" content="summary_large_image">',
]

/** The same page for what does not exist and for what is not shown to everyone. */
export const missingPage = ({ lang, dir, missing }: Words) =>
  htmlPage({
    ...shared,
    lang,
    dir,
    title: missing.title,
    head: '<meta name="robots" content="noindex">',
    content: `<main class="share classic">
<h1>${missing.title}</h1>
<p class="empty">${missing.text}</p>
</main>`,
  })
