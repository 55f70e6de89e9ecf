/** `/lockers/{handle}`: a locker as everyone sees it, for sharing. The server renders it, and it runs no script. */
import { htmlPage } from '../../platform/docs/html-page.ts'
import { countOf, PICTURE } from './picture.ts'
import type { ShownLocker } from './schema.ts'

const asset = (name: string) => `/lockers/-/${name}`
const shared = { styles: ['locker.css'], asset, links: [], home: '/' }

const escaped = (text: string) => Bun.escapeHTML(text)

/**
 * `address`: the absolute URL of the page; null if none is configured. Never taken from the request: a client can send any
 * host, and caches would serve it to others. `picture`: the ETag of the picture. It is part of the picture's URL, so that
 * previews load a new picture.
 */
export function lockerPage(
  locker: ShownLocker,
  { address, picture }: { address: string | null; picture: string },
): string {
  const { handle, displayName, avatarUrl, theme, shelves } = locker
  const owner = displayName ?? `@${handle}`
  const title = locker.title || `The locker of ${owner}`
  const count = countOf(shelves.flatMap(({ items }) => items).length)
  const description = `${count} in the locker of ${owner}`
  return htmlPage({
    ...shared,
    title,
    description,
    head: [
      ...openGraph(title, description),
      ...(address ? addresses(address, picture, description) : []),
    ].join('\n'),
    content: `<main class="locker ${theme}">
<header>
${avatarUrl === null ? '' : `<img class="avatar" src="${escaped(avatarUrl)}" alt="" width="72" height="72" referrerpolicy="no-referrer">\n`}<div>
<h1 dir="auto">${escaped(title)}</h1>
<p><bdi>${escaped(owner)}</bdi>${displayName === null ? '' : ` <span>@${escaped(handle)}</span>`} · ${count}</p>
</div>
</header>
${shelves.map(shelfOf).join('\n') || '<p class="empty">Nothing is on the shelves yet.</p>'}
</main>`,
  })
}

function shelfOf({ title, items }: ShownLocker['shelves'][number]): string {
  const heading = title === '' ? '' : `<h2 dir="auto">${escaped(title)}</h2>\n`
  const cards = items.map(cardOf).join('\n') || '<li class="empty">Empty</li>'
  return `<section>\n${heading}<ul>\n${cards}\n</ul>\n</section>`
}

function cardOf({
  name,
  imageUrl,
  rarity,
  serialNumber,
}: ShownLocker['shelves'][number]['items'][number]): string {
  const picture =
    imageUrl === null
      ? '<span class="picture"></span>'
      : `<img class="picture" src="${escaped(imageUrl)}" alt="" loading="lazy" referrerpolicy="no-referrer">`
  return `<li>${picture}<strong dir="auto">${escaped(name)}</strong><span>No. ${serialNumber} · <bdi>${escaped(rarity)}</bdi></span></li>`
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
  property('image', `${page}/picture.png?v=${picture}`),
  property('image:type', 'image/png'),
  property('image:width', PICTURE.width),
  property('image:height', PICTURE.height),
  property('image:alt', description),
  '<meta name="twitter:card" content="summary_large_image">',
]

/** The same page for a handle that nobody has and for a locker that is not public. */
export const missingPage = htmlPage({
  ...shared,
  title: 'No such locker',
  head: '<meta name="robots" content="noindex">',
  content: `<main class="locker classic">
<h1>No such locker</h1>
<p class="empty">There is no locker here, or its owner does not show it to everyone.</p>
</main>`,
})
