/** Schemas in the document mean what the routes check, in a form that tools draw well. */
import { expect, test } from 'bun:test'
import { type TSchema, Type } from '@sinclair/typebox'
import { Closed, Nullable, Slug } from '../../../src/core/schemas.ts'
import { type Json, refineSchemas } from '../../../src/platform/docs/json-schema.ts'

function refine(schema: TSchema) {
  const components: Json = {}
  return { schema: refineSchemas(JSON.parse(JSON.stringify(schema)), components), components }
}

const Seat = Closed({ row: Type.Integer() }, { title: 'Seat' })

test('a titled object moves to the components', () => {
  const { schema, components } = refine(Closed({ seats: Type.Array(Seat) }, { title: 'Stand' }))
  expect(schema).toEqual({ $ref: '#/components/schemas/Stand' })
  expect(Object.keys(components)).toEqual(['Seat', 'Stand'])
  expect(components.Stand).toMatchObject({
    properties: { seats: { type: 'array', items: { $ref: '#/components/schemas/Seat' } } },
  })
})

test('a nullable titled object is a reference or null', () => {
  expect(refine(Nullable(Seat, { description: 'None when standing.' })).schema).toEqual({
    description: 'None when standing.',
    anyOf: [{ $ref: '#/components/schemas/Seat' }, { type: 'null' }],
  })
})

test('a nullable scalar is one schema of two types, described by the outer words', () => {
  const name = Nullable(Type.String({ maxLength: 9, description: 'Inner.' }), { description: 'Outer.' })
  expect(refine(name).schema).toEqual({ type: ['string', 'null'], maxLength: 9, description: 'Outer.' })
})

test('a union of literals is an enum, with null if it is nullable', () => {
  const state = Type.Union([Type.Literal('on'), Type.Literal('off')])
  expect(refine(state).schema).toEqual({ type: 'string', enum: ['on', 'off'] })
  expect(refine(Nullable(state)).schema).toEqual({ type: ['string', 'null'], enum: ['on', 'off', null] })
})

test('a union of different types is unchanged', () => {
  const either = Type.Union([Type.String(), Type.Integer()])
  expect(refine(either).schema).toEqual({ anyOf: [{ type: 'string' }, { type: 'integer' }] })
})

test('members that only internal checks read are omitted', () => {
  expect(refine(Slug('An id.')).schema).not.toHaveProperty('errorNoun')
})

test('members called like keywords, and examples that look like schemas, are left alone', () => {
  const example = { title: 'Seat', type: 'object', errorNoun: 'kept' }
  const odd = Type.Object({ default: Nullable(Type.String()), title: Type.String() }, { examples: [example] })
  expect(refine(odd).schema).toMatchObject({
    properties: { default: { type: ['string', 'null'] }, title: { type: 'string' } },
    examples: [example],
  })
})

test('two different schemas of one title are refused, the same one twice is not', () => {
  expect(() => refine(Type.Tuple([Seat, Seat]))).not.toThrow()
  const other = Closed({ gate: Type.String() }, { title: 'Seat' })
  expect(() => refine(Type.Tuple([Seat, other]))).toThrow('two schemas are titled Seat')
})
