/**
 * The start of the dashboard.
 *
 * @module
 */
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { applyKeptTheme } from './parts/theme.tsx';
import './style.css';

applyKeptTheme();
const root = document.getElementById('root');
if (!root) throw new Error('The page has no element for the app');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
