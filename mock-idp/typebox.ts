/** TypeBox, which the mock provider imports only here. */
export { FormatRegistry, type Static, type TObject, type TSchema, Type } from '@sinclair/typebox'
export { Value } from '@sinclair/typebox/value'
