"""Tensors in files: .npy, .npz, .safetensors."""

from ricci import _core
from ricci._results import Results

__all__ = ["load", "save"]


def load(path, name=None):
    """The tensors of a file.

    Parameters
    ----------
    path : str or os.PathLike
        Its ending says the format: .npy, .npz or .safetensors.
    name : str, optional
        Of one tensor; the others are not read.

    Returns
    -------
    ndarray or Results
        The array of a .npy file, or of `name`; else all by name. Large files are mapped.

    Raises
    ------
    ricci.Error
        For files that are not there or are no such files, and for types that are not computed with.

    Examples
    --------
    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "x.npy")
    >>> np.save(path, np.arange(3.0))
    >>> ricci.load(path)
    array([0., 1., 2.])
    """
    path = str(path)
    if name is not None:
        return _core.load_one(path, name)
    tensors = _core.load(path)
    if path.endswith(".npy"):
        return tensors[0][1]
    return Results(tensors)


def save(path, tensors):
    """Writes one array, or arrays by name, to a .npy, .npz or .safetensors file.

    A file that is there is replaced when the new one is whole.

    Parameters
    ----------
    path : str or os.PathLike
        Its ending says the format.
    tensors : array_like or mapping
        Arrays by name, as the results of a program; or one array.

    Raises
    ------
    ricci.Error
        For what a format cannot hold, and where the file cannot be written.

    Examples
    --------
    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "x.npz")
    >>> ricci.save(path, {"x": np.eye(2)})
    >>> ricci.load(path).x
    array([[1., 0.],
           [0., 1.]])
    """
    if hasattr(tensors, "items"):
        _core.save(str(path), dict(tensors.items()))
    else:
        _core.save_one(str(path), tensors)
