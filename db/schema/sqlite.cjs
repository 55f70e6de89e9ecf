/** The tables in the dialect of SQLite. CommonJS, because drizzle-kit requires one export per table. */
module.exports = require('./tables.ts').tablesOf(require('./columns.ts').sqlite)
