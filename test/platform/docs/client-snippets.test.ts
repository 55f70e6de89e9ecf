/** Code in the documentation for clients names paths, members and settings that exist. That it compiles, `.ci/run` checks. */
import { beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findClient, isRegisteredRedirect } from '../../../mock-idp/oidc/clients.ts'
import { root } from '../../support/dev.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine } from '../../support/world.ts'
import { type Document, fetchDocument, type Json } from './document.ts'

const pages = ['README.md', 'docs/clients.md'].map(page => readFileSync(join(root, page), 'utf8'))
const codeIn = (language: string) =>
  pages.flatMap(page =>
    [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, name, code = '']) =>
      name === language ? [code] : [],
    ),
  )
const matches = (texts: string[], pattern: RegExp) =>
  texts.flatMap(text => [...text.matchAll(pattern)].map(([, found = '']) => found))
const apps = ['ts', 'swift', 'kotlin'].flatMap(codeIn)

onEngine(sqliteEngine, 'code in the documentation for clients', world => {
  let document: Document
  beforeAll(async () => {
    document = await fetchDocument(world)
  })

  const propertiesOf = (name: string) =>
    (document.components.schemas[name]?.properties ?? {}) as Record<string, Json>

  test('calls paths of the document', () => {
    const called = matches(apps, /(?:["'`]|localhost:3000|\$\{origin\})(\/api\/[a-z/-]+)/g)
    expect(new Set(called)).toEqual(
      new Set([
        '/api/auth/native-token',
        '/api/auth/native-token/refresh',
        '/api/auth/logout',
        '/api/dashboard',
      ]),
    )
    for (const path of called) expect(document.paths, path).toHaveProperty([path])
  })

  test('and the text around it names operations of the document', () => {
    const named = matches(pages, /`((?:GET|POST|PUT|PATCH|DELETE) \/api\/[^`\s]+)`/g)
    expect(named.length).toBeGreaterThan(3)
    for (const operation of named) {
      const [method = '', path = ''] = operation.split(' ')
      expect(document.paths[path], operation).toHaveProperty(method.toLowerCase())
    }
  })

  test('sends members that the requests have', () => {
    const members = [
      ...matches(codeIn('swift'), /\["(\w+)":/g),
      ...matches(codeIn('kotlin'), /JSONObject\(\)\.put\("(\w+)"/g),
    ]
    expect(members.toSorted()).toEqual(['deviceName', 'deviceName', 'refreshToken', 'refreshToken'])
    expect(propertiesOf('RequestNativeToken')).toHaveProperty('deviceName')
    expect(propertiesOf('RefreshNativeToken')).toHaveProperty('refreshToken')
  })

  test('reads members of a native token, in their types', () => {
    const typed = [
      ...matches(codeIn('swift'), /let ([\w, ]+): String/g).flatMap(names => names.split(', ')),
      ...matches(codeIn('kotlin'), /\.getString\("(\w+)"\)/g),
    ]
    const whole = [
      ...matches(codeIn('swift'), /let (\w+): Int/g),
      ...matches(codeIn('kotlin'), /\.getInt\("(\w+)"\)/g),
    ]
    expect(whole).toEqual(['expiresIn', 'expiresIn'])
    expect(new Set(typed)).toEqual(new Set(['token', 'refreshToken']))
    const { required } = document.components.schemas.NativeToken as { required: string[] }
    for (const [names, type] of [
      [typed, 'string'],
      [whole, 'integer'],
    ] as const)
      for (const name of names) {
        expect(propertiesOf('NativeToken')[name], name).toMatchObject({ type })
        expect(required).toContain(name)
      }
  })

  test.each([
    ['swift', /catch SessionError\.http\(401\) \{\s+Keychain\.remove\(\)/g, /Keychain\.remove\(\)/g],
    ['kotlin', /if \(failure\.status != 401\) throw failure\s+forget\(\)/g, /(?<!fun )forget\(\)/g],
  ])('in %s deletes a session only after 401, and at sign-out', (language, after401, anywhere) => {
    const code = codeIn(language).join('\n')
    expect(code.match(after401)).toHaveLength(1)
    expect(code.match(anywhere)).toHaveLength(2)
    expect(code).toMatch(/fun(c)? signOut\(\)[\s\S]{1,150}?(Keychain\.remove|forget)\(\)/)
  })

  test('in Swift and Kotlin reads the stored session at the start of the app', () => {
    expect(codeIn('swift').join()).toContain('static func restore() throws -> Session? { try Keychain.read()')
    expect(codeIn('kotlin').join()).toContain('private var stored: JSONObject? = store.read()')
  })

  test('generates clients in Swift and Kotlin from the variant with open enums', async () => {
    const sections = pages.flatMap(page => [...page.matchAll(/^## (?:Swift|Kotlin)\n[\s\S]*?(?=^## )/gm)])
    expect(sections).toHaveLength(2)
    const sources = sections.map(
      ([section]) => matches([section], /localhost:3000(\/[^\s'"]*)/g).at(-1) ?? '',
    )
    expect(sources).toEqual(['/openapi.json?enums=open', '/openapi.json?enums=open'])
    expect(matches(pages, /(openapi-generator-cli [^`]*\/docs\/json)/g)).toEqual([])
    const variant = await world.app.handle(new Request(`http://localhost${sources[0]}`))
    expect((await variant.text()).includes('"anyOf":[{"type":"string","enum":')).toBe(true)
  })

  test('with oidc-client-ts removes the tokens of the provider at sign-out', () => {
    const signingIn = pages.filter(page => page.includes('new UserManager('))
    expect(signingIn).toHaveLength(2)
    for (const page of signingIn) {
      expect(page).toContain('session.signOut()')
      expect(page).toContain('users.removeUser()')
    }
  })

  test('signs in with a client and redirect URIs of the mock provider', () => {
    const client = findClient('matchday-app')
    if (!client) throw new Error('the mock provider has no such client')
    const redirects = matches(apps, /["'](matchday:\/\/[^"']*)["']/g)
    expect(redirects).toHaveLength(3)
    for (const uri of [...redirects, 'http://localhost:3000/callback'])
      expect(isRegisteredRedirect(client, uri), uri).toBe(true)
    const ids = matches(apps, /["'](matchday-[a-z]+)["']/g)
    expect([ids.length, ...new Set(ids)]).toEqual([5, 'matchday-app'])
  })
})
