"""What the explorer's scripts say, beside the package's own words of a figure."""

from shardbook_sphinx.languages import mark

# What the scripts say; {…} is filled in by them, and what stands in backticks is code.
WORDS = {
    # The mesh
    "axis_name": mark("Name of axis {number}"),
    "axis_size": mark("Size of axis {number}"),
    "axis_type": mark("Type of axis {number}"),
    "remove_axis": mark("Remove axis {number}"),
    # Chips
    "dimension": mark("dim {at}"),
    "unused": mark("unused"),
    "chip": mark("axis {axis}, size {size}: {place}"),
    "put_here": mark("Put {axis} here: {place}"),
    "picked_up": mark("{axis} is picked up. Choose where to put it."),
    "put_down": mark("{axis} stays: {place}."),
    "put_back": mark("{axis} is back: {place}."),
    "moved": mark("{axis}: {place}. The spec is {spec}."),
    # Presets
    "preset_data-parallel": mark("Data parallel: a batch of activations"),
    "preset_fsdp": mark("FSDP: a weight, gathered before use"),
    "preset_tensor-qkv": mark("Tensor parallel: query, key and value weights"),
    "preset_tensor-attention-out": mark("Tensor parallel: output weight of attention"),
    "preset_tensor-up": mark("Tensor parallel: first product of the MLP"),
    "preset_tensor-down": mark("Tensor parallel: second product of the MLP"),
    "preset_sequence-parallel": mark("Sequence parallel: activations, gathered for attention"),
    "preset_two-dimensional": mark("2-D: a weight split along both dimensions"),
    # Results
    "slices": mark("The slice that each device holds"),
    "slice": mark("slice"),
    "more_pieces": mark("And {count} more pieces, which follow the same pattern."),
    "copied": mark("Copied."),
    "not_copied": mark("This browser does not let the page copy: select the text and copy it."),
    "link_problem": mark("This link cannot be followed, so here is the first example."),
    # What XLA inserts
    "no_steps": mark("Nothing: each device has already what it needs."),
    "step": mark("`{kind}` along {axes}"),
    "step_part": mark("`{kind}` along a part of {axes}"),
    "step_of": mark("`{kind}` of {matrix} along {axes}"),
    "step_of_part": mark("`{kind}` of {matrix} along a part of {axes}"),
    "step_several": mark("{count} × {step}"),
    "step_receives": mark("{step}: each device receives {bytes}"),
    "groups": mark("Devices of one colour exchange with one another, along {axes}."),
    "rematerialized": mark(
        "XLA warns of an involuntary full rematerialization: it first copies the whole array to every device."
    ),
    "measured": mark("Measured on JAX {jax}, CPU, mesh {mesh}, {dtype}, {shape}; the bytes are scaled to your array."),
    "measured_otherwise": mark("Measured on JAX {jax}, CPU, mesh {mesh}, {dtype}, {shape}: not quite your case."),
    "compiled": mark(
        "By the compiler for {chip} ({made}, JAX {jax}), mesh {mesh}, {dtype}, {shape}; the bytes are scaled to your "
        "array."
    ),
    "compiled_otherwise": mark(
        "By the compiler for {chip} ({made}, JAX {jax}), mesh {mesh}, {dtype}, {shape}: not quite your case."
    ),
    "ask": mark("Ask it of your own program."),
    "ask_three": mark("How its choice depends on sizes and dtypes."),
    "unmeasured": mark("Not measured for this mesh and these specs."),
    "measure": mark("This Python measures yours, with the package of this handbook:"),
    "not_loaded": mark("The table of measurements could not be loaded."),
    "comma": mark(", "),
    "colon": mark(": "),
    # The map of products
    "map_receives": mark("{product}: each device receives {count} matrices."),
    "map_free": mark("{product}: nothing is sent."),
    # Remedies: for what JAX refuses,
    "remedy_duplicate-axis": mark("An axis can split one dimension, once: remove {axes} from all but one place."),
    "remedy_unknown-axis": mark("The mesh has no axis {axis}. It has {axes}: use one of these, or add the axis."),
    "remedy_too-long": mark(
        "The spec has {entries} entries, the array {dimensions} dimensions: shorten the spec or extend the shape."
    ),
    "remedy_indivisible": mark(
        "Dimension {dimension} has size {size}, no multiple of {parts}: pad it to {padded}, or take {axes} away."
    ),
    # for what is beyond the explorer,
    "remedy_state": mark("Begin with a usual case, and change it."),
    "remedy_dimensions": mark("The explorer shows up to {most} dimensions; here are {count}."),
    "remedy_size": mark("Write the sizes as whole numbers: `8, 16`."),
    "remedy_dtype": mark("Choose a dtype from the list."),
    "remedy_axes": mark("A mesh needs 1 to {most} axes, each with a name and a size."),
    "remedy_axis-name": mark("Name the axis with letters, digits and underscores, at most 24."),
    "remedy_axis-twice": mark("Two axes are called {axis}: rename one."),
    "remedy_axis-size": mark("The size of {axis} must be a whole number, at least 1."),
    "remedy_devices": mark("{count} devices are too many: the explorer shows up to {most}."),
    "remedy_types": mark("Choose Explicit or Auto for each axis."),
    "remedy_order": mark("Write each device id once, from 0 on, as many as the mesh has devices; or leave it empty."),
    "remedy_bytes": mark("The array is too large to count its bytes exactly: make it smaller."),
    "remedy_spec": mark("The spec is too long, or names what cannot be an axis."),
    "remedy_product-shape": mark("A product needs an array of two dimensions; this one has {count}."),
    "remedy_columns": mark("The columns of B must be a whole number."),
    # for what cannot be read,
    "remedy_too-long-text": mark("The text is too long: at most {most} characters are read."),
    "remedy_unopened": mark("`{found}` closes what was not opened: remove it."),
    "remedy_comma": mark("Put a comma between `{before}` and `{after}`."),
    "remedy_name": mark("`{found}` cannot be the name of an axis here: use letters, digits and underscores."),
    "remedy_nested": mark("A tuple in a tuple has no meaning: `('x', 'y')` splits one dimension over both axes."),
    "remedy_none-in-tuple": mark("`None` cannot stand in a tuple: leave it out."),
    "remedy_keyword": mark("The explorer has no `{found}=`: write only the axes of the dimensions."),
    "remedy_unconstrained": mark("`UNCONSTRAINED` leaves the choice to the compiler: name an axis, or `None`."),
    # and for links.
    "remedy_syntax": mark("A part of it is missing or has been changed: copy it again."),
    "remedy_version": mark("It was made by another version of the explorer."),
}
