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
      new Set(['/api/auth/native-token', '/api/auth/native-token/refresh', '/api/dashboard']),
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
      ...matches(codeIn('kotlin'), /\.put\("(\w+)"/g),
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
    expect([typed.length, whole]).toEqual([4, ['expiresIn', 'expiresIn']])
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
