import config from './eslint.config.js';
export default config.map((c) => c.languageOptions?.parserOptions?.projectService ? { ...c, languageOptions: { ...c.languageOptions, parserOptions: { project: ['tsconfig.test.json'], tsconfigRootDir: '/work/main' } } } : c);
