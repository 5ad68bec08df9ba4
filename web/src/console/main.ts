/** Starts the Game Console in the browser. */
import "../lib/theme.css";
import { mount } from "svelte";
import Screen from "./Screen.svelte";

mount(Screen, { target: document.body });
